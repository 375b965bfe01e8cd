#!/bin/sh
# GSL for WebAssembly, in build/lab/gsl: the folders that are used.
set -eu
folders='utils sys err complex block vector matrix permutation sort cblas blas
    specfunc rng randist integration roots statistics fit cdf'

[ "$(cat build/lab/gsl/done 2>/dev/null)" != "$folders" ] || exit 0
tools/fetch_gsl.sh build/lab/gsl
cd build/lab/gsl/gsl
echo '  CONFIGURE gsl'
emconfigure ./configure --disable-shared --host=i686-pc-linux-gnu >../log 2>&1 ||
    { tail ../log >&2; exit 1; }
for folder in gsl $folders; do
    echo "  MAKE  gsl/$folder"
    emmake make -j"$(nproc)" -C "$folder" CFLAGS='-O2 -ffp-contract=off' >>../log 2>&1 ||
        { tail ../log >&2; exit 1; }
done
printf '%s\n' "$folders" >../done
