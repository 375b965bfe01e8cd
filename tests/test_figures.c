/* The figures: an SVG says what it shows to those who do not see it, and
 * several can stand in one page. */
#include "run.h"
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of the element that opens with `<name id="own-name">`. */
static char *element(const char *svg, const char *own, const char *name)
{
    char opens[256];
    const char *from;

    snprintf(opens, sizeof opens, "<%s id=\"%s-%s\">", name, own, name);
    from = strstr(svg, opens);
    cr_assert_not_null(from, "no %s", opens);
    from += strlen(opens);
    return strndup(from, strcspn(from, "<"));
}

/* Every id, in either kind of quotes, begins with "own-", unless own is NULL,
 * and comes once. */
static void assert_ids(const char *svg, const char *own, const char *file)
{
    size_t ids = 0;

    for (const char *id = strstr(svg, " id="); id;
         id = strstr(id + 4, " id=")) {
        const size_t length = strcspn(id + 5, "\"'") + 6;
        ids++;
        if (own != NULL) {
            cr_assert(strncmp(id + 5, own, strlen(own)) == 0 &&
                          id[5 + strlen(own)] == '-',
                      "%s: %.40s", file, id);
        }
        for (const char *other = strstr(id + 4, " id="); other;
             other = strstr(other + 4, " id=")) {
            cr_assert(strncmp(other + 4, id + 4, length) != 0,
                      "%s: twice %.40s", file, id);
        }
    }
    cr_assert_gt(ids, 2, "%s has ids", file);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;

    while ((text = strstr(text, what)) != NULL) {
        text += strlen(what);
        n++;
    }
    return n;
}

Test(figures, every_one_says_what_it_shows)
{
    glob_t svgs = {0};
    size_t ran = 0;

    cr_assert_eq(glob("results/*.svg", 0, NULL, &svgs), 0);
    for (size_t i = 0; i < svgs.gl_pathc; i++) {
        const char *name = svgs.gl_pathv[i] + strlen("results/");
        char own[128];
        char *svg = run_read("results", name);

        snprintf(own, sizeof own, "%.*s", (int)(strlen(name) - 4), name);
        cr_assert_not_null(svg);
        if (strcmp(own, "figures") == 0) {
            free(svg);
            continue;
        }
        char *title = element(svg, own, "title");
        char *desc = element(svg, own, "desc");
        cr_expect(strlen(title) > 10 && !strstr(title, "nuplot"), "%s: %s", own,
                  title);
        cr_expect(strlen(desc) > 100 && !strstr(desc, "GNUPLOT"), "%s: %s", own,
                  desc);
        cr_expect_eq(count(svg, "role=\"img\" aria-labelledby=\""), 1, "%s",
                     own);
        assert_ids(svg, own, name);
        free(desc);
        free(title);
        free(svg);
        ran++;
    }
    cr_assert_geq(ran, 16, "%zu figures", ran);
    globfree(&svgs);
}

Test(figures, one_sheet_shows_them_all)
{
    glob_t scripts = {0};
    char *sheet = run_read("results", "figures.svg");

    cr_assert_not_null(sheet);
    cr_assert_eq(glob("plots/*.gp", 0, NULL, &scripts), 0);
    /* not the style, and not the seeds and the bench, which are drawn for the
     * asking only */
    cr_expect_eq(count(sheet, "role=\"img\""), scripts.gl_pathc - 3);
    assert_ids(sheet, NULL, "figures.svg");
    globfree(&scripts);
    free(sheet);
}

/* A figure drawn from a script of these lines under this name. */
static run_result drawn(const char *folder, const char *lines, const char *name)
{
    char script[1024];
    FILE *file;

    snprintf(script, sizeof script, "%s/own.gp", folder);
    file = fopen(script, "w");
    cr_assert_not_null(file);
    fprintf(file, "%s\nplot dat using 2:3 with points\n", lines);
    fclose(file);
    return run("gnuplot -d -c plots/style.gp %s results/score_spread.dat "
               "\"%s/%s\"",
               script, folder, name);
}

Test(figures, one_that_says_nothing_is_refused)
{
    const char *folder = run_folder();
    const run_result without = drawn(folder, "heading = 'h'", "a.svg");

    cr_expect_eq(without.status, 1);
    cr_expect_not_null(strstr(without.err, "no heading or description"), "%s",
                       without.err);
    cr_expect_eq(drawn(folder, "description = 'd'", "a.png").status, 1);
    run("rm -r %s", folder);
}

Test(figures, texts_and_names_of_any_characters)
{
    const char *folder = run_folder(), *name = "it's, 5 < 6 & so\\\\on.svg";
    const run_result r =
        drawn(folder,
              "heading = \"a & b < c's | d\\\\e \\\"f\\\" √g id=h]]>\"\n"
              "description = 'd'\nset title literal('q_{x} ^2 @&~]]>')",
              name);
    char *svg = run_read(folder, "it's, 5 < 6 & so\\on.svg");

    cr_assert_eq(r.status, 0, "%s", r.err);
    cr_assert_str_empty(r.err);
    cr_assert_not_null(svg);
    char *title = element(svg, "own", "title");
    cr_expect_str_eq(title, "a &#38; b &#60; c&#39;s &#124; d&#92;e \"f\" √g "
                            "id=h]]&gt;");
    cr_expect_not_null(strstr(svg, "q_{x} ^2 @&amp;~]]&gt;"));
    free(title);
    free(svg);
    run("rm -r %s", folder);
}
