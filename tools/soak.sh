#!/bin/sh
# Runs `make test` again and again, as CI does: two at a time, in clones of their own with an empty HOME, so that each is
# the other's load. It finds tests that fail now and then; the whole output of a run that failed is kept in build/soak.
set -eu

runs=${1:-10}
root=$(git rev-parse --show-toplevel)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
rm -rf "$root/build/soak"
mkdir -p "$root/build/soak"

run() {
    log="$root/build/soak/$1.log"
    if (cd "$place/$2" && HOME="$place/$2-home" CI=true make test) >"$log" 2>&1 </dev/null; then how="ok    "; else how="FAILED"; fi
    printf '%s run %s: %s\n' "$how" "$1" "$(grep -E '[0-9]+ (passed|failed)' "$log" | tail -n 1)"
    [ "$how" = FAILED ] || rm "$log"
}

lane() {
    git clone -q "$root" "$place/$2"
    mkdir "$place/$2-home"
    number=$1
    while [ "$number" -le "$runs" ]; do
        run "$number" "$2"
        number=$((number + 2))
    done
}

lane 1 left &
lane 2 right &
wait
rmdir "$root/build/soak" 2>/dev/null || { echo "Look at build/soak."; exit 1; }
