#!/bin/sh
# The source of GSL, unpacked: fetch_gsl.sh FOLDER makes FOLDER/gsl, anew. It is
# the archive of Debian's source package, found through a list of sources of its
# own, and stays in FOLDER.
set -eu
version=2.7.1+dfsg
sum=e560d6b9c6e254e46769bbb03583c00ecafbdd51b062c55db23b3b9612868567
archive=gsl_$version.orig.tar.gz

mkdir -p "$1"
cd "$1"
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
