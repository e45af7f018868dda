"""`orange`: without a command the app, else the command line."""

from __future__ import annotations

import sys

from orange_tui.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
