#!/bin/sh
# Make ready for make test-arm64 (Debian): setup_arm64.sh ROOT
# Compiler and emulator are installed. The arm64 libraries are not: apt is given
# lists and a status of its own, resolves what they need, and downloads; the
# packages are unpacked into ROOT. So the system keeps its own GSL and its one
# architecture.
set -eu
if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg >/dev/null 2>&1; then
    echo "setup-arm64: this needs apt-get and dpkg, that is Debian" >&2
    exit 2
fi
tools/setup.sh tools/packages-arm64.txt

root=$1
mkdir -p "$root"
root=$(cd "$root" && pwd)
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
: >"$apt/status"

arm64() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o APT::Sandbox::User= -o Debug::NoLocking=1 \
        -o Dir::State::Lists="$apt/lists" -o Dir::State::Status="$apt/status" \
        -o Dir::Cache="$apt" -o Dir::Cache::Archives="$apt/archives" "$@"
}

arm64 update
# Of Criterion its headers: its runner needs more than an emulator gives.
arm64 install -y --no-install-recommends --download-only \
    libc6-dev libgomp1 libgsl-dev libmpfr-dev libcriterion-dev
for package in "$apt"/archives/*.deb; do
    dpkg -x "$package" "$root"
done
# The last thing made: where it is, the rest is.
touch "$root/complete"
