#!/bin/sh
# What `make install` puts in place works from any folder, and `make uninstall`
# takes it away: test_install.sh PROGRAM ...
set -eu
. tools/check.sh
prefix="$work/a prefix"

draws() {
    (cd "$work" && "$prefix/bin/$1" --plot --quiet --out "$work/out") || return
    [ -s "$work/out/$1.svg" ]
}

has_page() {
    page="$prefix/share/man/man1/$1.1"
    grep -q '^.SH SYNOPSIS' "$page" && grep -q 'seed' "$page"
}

compiles() {
    # Every header: none needs one that is not installed.
    for header in "$prefix"/include/attn/*.h; do
        echo "#include <${header##*/}>"
    done >"$work/use.c"
    cat >>"$work/use.c" <<'END'
int main(void)
{
    double s[3] = {1, 2, 3};
    gsl_vector_view v = gsl_vector_view_array(s, 3);
    return attn_softmax(&v.vector, &v.vector);
}
END
    # A path with a blank: pkg-config escapes it, and eval reads that.
    flags=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs attn)
    eval "${CC:-cc} \"\$work/use.c\" $flags -o \"\$work/use\"" && "$work/use"
}

is_gone() {
    [ -z "$(find "$prefix" -type f)" ]
}

check "make install" "${MAKE:-make}" -s install PREFIX="$prefix"
for program in "$@"; do
    check "manual page of $program" has_page "$program"
done
check "an installed program draws its figure" draws worked_example
check "the library is found by pkg-config" compiles
check "make uninstall" "${MAKE:-make}" -s uninstall PREFIX="$prefix"
check "nothing is left" is_gone

summary
