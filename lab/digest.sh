#!/bin/sh
# One digest of everything that results/lab.html is made from.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
find lab lib experiments report/style.css docs/ledger.tsv \
    \( -name node_modules -o -path lab/test \) -prune -o \
    -type f ! -name '*.md' ! -name packages.txt -print |
    sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1
