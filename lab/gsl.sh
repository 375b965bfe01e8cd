#!/bin/sh
# GSL for WebAssembly, in build/lab/gsl: the archive of Debian's source package,
# found through a list of sources of its own, and the folders that are used.
set -eu
version=2.7.1+dfsg
sum=e560d6b9c6e254e46769bbb03583c00ecafbdd51b062c55db23b3b9612868567
folders='utils sys err complex block vector matrix permutation sort cblas blas
    specfunc rng randist integration roots statistics cdf'

mkdir -p build/lab/gsl
cd build/lab/gsl
[ ! -e "done" ] || exit 0
archive=gsl_$version.orig.tar.gz

if [ ! -e "$archive" ]; then
    echo "  FETCH $archive"
    mkdir -p apt/lists/partial apt/cache/archives/partial
    echo 'deb-src http://deb.debian.org/debian bookworm main' >apt/sources.list
    debian() {
        apt-get -qq -o "Dir::Etc::sourcelist=$PWD/apt/sources.list" \
            -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::Lists=$PWD/apt/lists" \
            -o "Dir::Cache=$PWD/apt/cache" -o APT::Sandbox::User=root "$@"
    }
    debian update
    debian source --download-only --tar-only gsl
fi
echo "$sum  $archive" | sha256sum --check --quiet

rm -rf gsl
tar xf "$archive"
cd gsl
echo '  CONFIGURE gsl'
emconfigure ./configure --disable-shared --host=i686-pc-linux-gnu >../log 2>&1 ||
    { tail ../log >&2; exit 1; }
for folder in gsl $folders; do
    echo "  MAKE  gsl/$folder"
    emmake make -j"$(nproc)" -C "$folder" CFLAGS='-O2 -ffp-contract=off' >>../log 2>&1 ||
        { tail ../log >&2; exit 1; }
done
touch ../done
