#!/bin/sh
# results/lab.html: GSL, the module, the page. See lab/README.md.
set -eu
cd "$(dirname "$0")/.."

lab/gsl.sh
make --no-print-directory -j"$(nproc)" -f lab/module.mk
if ! cmp -s lab/package-lock.json build/lab/package-lock.json; then
    (cd lab && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp lab/package-lock.json build/lab/
fi
node lab/page/build.js "$(lab/digest.sh)" build/lab/lab.wasm >build/lab/lab.html
mv build/lab/lab.html results/lab.html
