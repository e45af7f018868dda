"""What keeps git from doing harm: looks that run nothing (`look.py`), and locks that do not outlive it (`locks.py`)."""
