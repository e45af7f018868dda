#!/bin/sh
# Installs Orange as a newcomer would, and does what the pages say: from a wheel, from a git address, and as an upgrade.
# Everything happens in a directory that is removed afterwards, with a home and a tmux server of its own. `make newcomer`.
set -eu
HERE="$(cd "$(dirname "$0")/.." && pwd)"
PYTHON="${PYTHON:-python3}"
BEFORE="${BEFORE:-HEAD~20}"  # what the upgrade starts from

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'not as a newcomer would expect: %s\n' "$*" >&2; exit 1; }
expect() { case "$2" in *"$1"*) ;; *) fail "no \"$1\" in: $2" ;; esac; }

ROOT="$(mktemp -d)"
export HOME="$ROOT/home" ORANGE_TMUX_SOCKET="orange-newcomer-$$" ORANGE_DEMO_PACE=0
export PIPX_HOME="$ROOT/pipx" PIPX_BIN_DIR="$ROOT/bin" PIPX_MAN_DIR="$ROOT/man" PIP_DISABLE_PIP_VERSION_CHECK=1
export GIT_AUTHOR_NAME=Ana GIT_AUTHOR_EMAIL=ana@example.org GIT_COMMITTER_NAME=Ana GIT_COMMITTER_EMAIL=ana@example.org
unset ORANGE_HOME ORANGE_TASK PYTHONPATH TMUX || true
trap 'tmux -L "$ORANGE_TMUX_SOCKET" kill-server 2>/dev/null || true; rm -rf "$ROOT"' EXIT
mkdir -p "$HOME" "$ROOT/bin"
PATH="$ROOT/bin:$PATH"

step "pipx, in a place of its own"
"$PYTHON" -m venv "$ROOT/tools"
"$ROOT/tools/bin/pip" install --quiet pipx
pipx() { "$ROOT/tools/bin/pipx" "$@"; }

lives() {  # what somebody does in the first minutes: asks what is there, reads, and has a task done and merged
    expect "orange " "$(orange --version)"
    expect "Getting started" "$(orange help getting-started)"
    orange doctor
    expect "complete" "$(bash -c 'source <(orange completion bash) && complete -p orange')"
    expect "getting-started" "$(orange __complete help get)"
    [ -d "$ROOT/coffee" ] || { git init -q -b main "$ROOT/coffee"; git -C "$ROOT/coffee" commit -q --allow-empty -m first; }
    cd "$ROOT/coffee"
    orange project add 2>/dev/null || true
    id="$(orange task create "$1" "Count the cups" --harness demo | cut -d' ' -f1)"
    for _ in $(seq 300); do
        orange task show "$id" --json | grep -q '"status": "reviewing"' && break
        sleep 0.2
    done
    expect "merged as" "$(orange task merge "$id")"
    cd "$HERE"
}

step "From a wheel"
"$PYTHON" -m venv "$ROOT/build"
"$ROOT/build/bin/pip" wheel --quiet --no-deps -w "$ROOT/dist" "$HERE"
pipx install "$ROOT"/dist/orange_tui-*.whl
lives from-a-wheel
[ -e "$ROOT/man/man1/orange.1" ] || fail "pipx shows no man page orange.1 ($(ls -R "$ROOT/man" 2>&1))"
pipx uninstall orange-tui

step "The same without pipx"
"$PYTHON" -m venv "$ROOT/own"
"$ROOT/own/bin/pip" install --quiet "$ROOT"/dist/orange_tui-*.whl
ln -s "$ROOT/own/bin/orange" "$ROOT/bin/orange"
lives from-a-virtual-environment
rm "$ROOT/bin/orange"

step "An earlier one, from a git address"
git clone -q --bare "$HERE" "$ROOT/orange.git"
before="$(git -C "$HERE" rev-parse "$BEFORE")"
git -C "$ROOT/orange.git" branch -f newcomer "$before"
pipx install "git+file://$ROOT/orange.git@newcomer"
cd "$ROOT/coffee"
kept="$(orange task create keep-me "Is still there after an upgrade" --harness demo --no-spawn | cut -d' ' -f1)"
cd "$HERE"

step "The upgrade to this one"
git -C "$ROOT/orange.git" branch -f newcomer "$(git -C "$HERE" rev-parse HEAD)"
pipx upgrade orange-tui
lives from-git
expect "keep-me" "$(cd "$ROOT/coffee" && orange task show "$kept")"
expect "git+file" "$("$ROOT/tools/bin/pipx" list --json | grep -o 'git+file' | head -n 1)"

step "A newcomer gets there: wheel, git address, upgrade, completion, man pages, a merged task each time"
