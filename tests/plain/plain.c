/*
 * A runner for the same tests where Criterion's own cannot start them: its
 * sandbox starts the test program anew and writes into it, which fails under an
 * emulator. Linked in the place of Criterion's library, whose headers say what
 * an assertion calls; each test is a fork. all-plain PATTERN ...: tests whose
 * suite/name fits a shell pattern are left out, and listed. Passes when a test
 * passed and none failed.
 *
 * What the tests here do not use is not here: parameters, theories, expected
 * signals and exit codes. Timeouts are for a processor: one of LIMIT seconds
 * for all ends what hangs.
 */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef LIMIT
#define LIMIT 1800
#endif

enum { PASSED, FAILED, SKIPPED };

/* The linker's names for the two tables that Test() and TestSuite() fill. */
extern struct criterion_test *const __start_cr_tst[], *const __stop_cr_tst[];
extern struct criterion_suite *const __start_cr_sts[], *const __stop_cr_sts[];

struct criterion_options criterion_options;

/* Of the test that runs in this process: */
static const struct criterion_test *test;
static int outcome = PASSED;
static jmp_buf end;

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    printf("%s:%u: %s/%s: %s\n", stats->file, (unsigned)stats->line,
           test->category, test->name, stats->message);
}

void criterion_continue_test(void)
{
    outcome = FAILED;
}

void criterion_abort_test(void)
{
    outcome = FAILED;
    longjmp(end, 1);
}

void criterion_skip_test(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    printf("%s/%s: skipped: ", test->category, test->name);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    outcome = SKIPPED;
    longjmp(end, 1);
}

void cri_asserts_passed_incr(void)
{
}

void cr_log(enum criterion_severity severity, const char *message, ...)
{
    va_list arguments;

    (void)severity;
    va_start(arguments, message);
    vprintf(message, arguments);
    putchar('\n');
    va_end(arguments);
}

int cr_asprintf(char **text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!*text)
        return -1;
    va_start(arguments, format);
    vsnprintf(*text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return length;
}

void cr_asprintf_free(char *text)
{
    free(text);
}

/* What failed, without Criterion's sentence around it. */
char *cr_translate_assert_msg(int message, ...)
{
    va_list arguments;
    char *text;

    (void)message;
    va_start(arguments, message);
    cr_asprintf(&text, "%s", va_arg(arguments, const char *));
    va_end(arguments);
    return text;
}

static const struct criterion_test_extra_data *suite_data(void)
{
    static const struct criterion_test_extra_data none;

    for (struct criterion_suite *const *s = __start_cr_sts; s < __stop_cr_sts;
         s++)
        if (*s && strcmp((*s)->name, test->category) == 0)
            return (*s)->data;
    return &none;
}

/* Runs f up to a failed cr_assert, or to its end. */
static void run(void (*f)(void))
{
    if (f && setjmp(end) == 0)
        f();
}

void criterion_internal_test_setup(void)
{
    run(suite_data()->init);
    if (outcome == PASSED)
        run(test->data->init);
}

void criterion_internal_test_main(void (*f)(void))
{
    if (outcome == PASSED)
        run(f);
}

void criterion_internal_test_teardown(void)
{
    run(test->data->fini);
    run(suite_data()->fini);
}

/* The outcome of one test in a process of its own. */
static int forked(void)
{
    int status;

    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(LIMIT);
        test->test();
        fflush(NULL);
        _exit(outcome);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return FAILED;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    printf("%s/%s: signal %d\n", test->category, test->name, WTERMSIG(status));
    return FAILED;
}

static int is_left_out(char *const *patterns)
{
    char name[512];

    snprintf(name, sizeof name, "%s/%s", test->category, test->name);
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, name, 0) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    size_t count[3] = {0, 0, 0}, left_out = 0;

    (void)argc;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    for (struct criterion_test *const *t = __start_cr_tst; t < __stop_cr_tst;
         t++) {
        if (!*t)
            continue;
        test = *t;
        if (is_left_out(argv + 1)) {
            printf("%s/%s: left out\n", test->category, test->name);
            left_out++;
            continue;
        }
        const int result = forked();
        if (result != PASSED && result != SKIPPED)
            printf("%s/%s: failed\n", test->category, test->name);
        count[result == PASSED || result == SKIPPED ? result : FAILED]++;
    }
    printf("tests: %zu passed, %zu failed, %zu skipped, %zu left out\n",
           count[PASSED], count[FAILED], count[SKIPPED], left_out);
    return count[PASSED] > 0 && count[FAILED] == 0 ? 0 : 1;
}
