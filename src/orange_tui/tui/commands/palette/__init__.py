"""The command palette: what it searches (`palette.py`, which loads nothing), and what it finds (`providers.py`)."""
