#!/bin/sh
# Installs the programs that are named, where that is possible; else says exactly what to install, and fails.
# A program whose package has another name is written as package:program.
set -eu

say() { printf '%s\n' "$*" >&2; }

missing=""
for program in "$@"; do
    command -v "${program#*:}" >/dev/null || missing="$missing ${program%%:*}"
done
[ -n "$missing" ] || exit 0

# Another apt-get at work holds one of two locks: it waits for dpkg's by itself, and fails at once at that of the lists.
install() {
    for _ in 1 2 3 4 5 6; do
        # shellcheck disable=SC2086 - each word is a package
        if { apt-get update -qq && apt-get install -y -qq -o DPkg::Lock::Timeout=600 $missing; } >/dev/null; then return 0; fi
        sleep 5
    done
    return 1
}

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "Installing$missing …"
    if install; then exit 0; fi
    say "Not installed:$missing. Run: apt-get install$missing"
else
    say "Not installed:$missing. On Debian or Ubuntu: sudo apt-get install$missing. On macOS: brew install$missing."
fi
exit 1
