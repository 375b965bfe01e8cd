#!/bin/sh
# Install what a list names and this machine lacks: setup.sh [LIST], by default
# tools/packages.txt.
set -eu
list=${1:-$(dirname "$0")/packages.txt}

has() {
    case $1 in
    cmd:*) command -v "${1#cmd:}" >/dev/null 2>&1 ;;
    pc:*) pkg-config --exists "${1#pc:}" >/dev/null 2>&1 ;;
    esac
}

if command -v apt-get >/dev/null 2>&1; then
    column=2
elif command -v dnf >/dev/null 2>&1; then
    column=3
elif command -v pacman >/dev/null 2>&1; then
    column=4
elif command -v brew >/dev/null 2>&1; then
    column=5
else
    echo "setup: no apt, dnf, pacman or brew here; install by hand:" >&2
    cat "$list" >&2
    exit 2
fi

missing=
while read -r need apt dnf pacman brew; do
    case $need in '' | '#'*) continue ;; esac
    has "$need" && continue
    case $column in
    2) package=$apt ;;
    3) package=$dnf ;;
    4) package=$pacman ;;
    5) package=$brew ;;
    esac
    [ "$package" = - ] || missing="$missing $package"
done <"$list"

if [ -z "$missing" ]; then
    echo "setup: nothing is missing"
    exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ] && [ "$column" -ne 5 ]; then
    as_root=sudo
fi

echo "setup: installing$missing"
# $missing is a list of words, so it stands unquoted.
# shellcheck disable=SC2086
case $column in
2)
    $as_root apt-get update
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing
    ;;
3) $as_root dnf install -y $missing ;;
4) $as_root pacman -S --needed --noconfirm $missing ;;
5) brew install $missing ;;
esac
