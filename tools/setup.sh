#!/bin/sh
# Makes .venv with Orange and its developers' tools; says exactly what to install where something is missing.
set -eu
PYTHON="${PYTHON:-python3}"

say() { printf '%s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }

"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Orange needs Python 3.11 or newer, and '$PYTHON' is not. Install it, or run: make PYTHON=/path/to/python3.11 …"
command -v git >/dev/null || fail "Orange needs git. On Debian or Ubuntu: apt-get install git. On macOS: brew install git."

sh "$(dirname "$0")/programs.sh" tmux || fail "Orange needs tmux."
if [ "$(uname)" = Linux ]; then
    sh "$(dirname "$0")/programs.sh" bubblewrap:bwrap || say "Orange works without it; only its sandbox for agents needs it."
fi

say "Setting up .venv …"
"$PYTHON" -m venv .venv ||
    fail "Python's venv module is incomplete. On Debian or Ubuntu: sudo apt-get install python3-venv."
# pip learned dependency groups in 25.1, and an older one would not compile the bytecode we measure.
.venv/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
.venv/bin/python -m pip install --quiet --disable-pip-version-check --compile --editable . --group dev
