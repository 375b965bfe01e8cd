#!/bin/sh
# Make ready for make test-memory (Debian): setup_memory.sh ROOT
# The memory sanitizer must see every write, so GSL is compiled with it too,
# into ROOT. Its documentation, which Debian's archive lacks, is left out.
set -eu
if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup-memory: this needs apt-get, that is Debian" >&2
    exit 2
fi
tools/setup.sh tools/packages.txt tests/fuzz/packages.txt
[ ! -e "$1/complete" ] || exit 0
tools/fetch_gsl.sh "$1"
root=$(cd "$1" && pwd)
cd "$root/gsl"
echo '  CONFIGURE gsl'
./configure --prefix="$root" --disable-shared CC=clang \
    CFLAGS='-O1 -g -fsanitize=memory' >../log 2>&1 ||
    { tail ../log >&2; exit 1; }
echo '  MAKE  gsl'
folders=$(sed -n 's/^SUBDIRS = \(.*\) doc$/\1/p' Makefile)
make -j"$(nproc)" SUBDIRS="$folders" install >>../log 2>&1 ||
    { tail ../log >&2; exit 1; }
touch "$root/complete"
