"""Every key: its name, help, when it can be used and why not (`keys.py`), and what it does (`run.py`)."""
