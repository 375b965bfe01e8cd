#!/bin/sh
# What can be found without running anything: format, scripts, cppcheck,
# clang-tidy. lint.sh FLAGS OF THE PREPROCESSOR
set -eu
cd "$(dirname "$0")/.."

# Another version of clang-format has other opinions.
if clang-format --version | grep -q 'version 14\.'; then
    clang-format --dry-run -Werror lib/*.[ch] experiments/*.c tests/*.[ch] \
        tests/*/*.[ch] bench/*.c tools/*.c lab/c/*.[ch]
else
    echo 'lint: clang-format is not version 14, format is not checked'
fi

# libm's last bit changes with the processor, and a record's would with it.
if sed 's/"[^"]*"//g' experiments/*.c |
    grep -E '(^|[^a-z_.])(exp2?|expm1|log(2|10|1p)?|pow|sin|cos|tanh?)\('; then
    echo 'lint: libm in an experiment, attn_math.h has its own' >&2
    exit 1
fi

shellcheck -x tools/*.sh bench/*.sh report/*.sh lab/*.sh .ci/run

# It does not read GSL's headers, so it is told that these two return. The
# generator that it takes for NULL is no one's where weights are equal
# (receptive_field.c). tests/ is left out: Criterion's macros are no C to it.
cppcheck --quiet --error-exitcode=1 --std=c11 -j2 --inline-suppr \
    --enable=warning,performance,portability \
    '-DGSL_ERROR(reason, number)=return number' \
    '-DGSL_ERROR_NULL(reason, number)=return 0' \
    --suppress=nullPointer:lib/attn_rng.h \
    -D_POSIX_C_SOURCE=200809L -Ilib lib experiments bench tools

# One file each: with several, clang-tidy 14 takes every va_list for unset.
# $@ belongs to the shells that xargs starts.
# shellcheck disable=SC2016
printf '%s\n' lib/*.c experiments/*.c |
    flags="$*" xargs -P2 -n1 sh -c \
        'clang-tidy --quiet "$1" -- -std=c11 -fopenmp $flags' lint
