/*
 * Calibration over many seeds: seeds FOLDER FILE.claims.tsv ...
 *
 * Reads the claims of runs at different seeds and writes into the folder
 *   seeds.tsv: per stat claim the number of seeds K, mean z (standard error
 *     1/sqrt K), variance of z, Kolmogorov-Smirnov p of the p-values against
 *     uniform, the count beyond the suite's limit and its binomial p;
 *   seeds-approx.tsv: per approx claim the rate of CONSISTENT;
 *   seeds.dat: every p-value in order, for the figure.
 * Exit status 1 when a claim is off: |mean z| or the variance beyond 4.21
 * standard errors, or a KS or binomial p below the suite's limit.
 */
#include "attn_claim.h"
#include "attn_dat.h"
#include "attn_moments.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200, LINE = 2048 };

/* What has been read of one claim. */
typedef struct {
    char id[64];
    int is_stat;
    size_t count, room, consistent;
    double *p;
    attn_moments z;
} record;

static record records[MOST];
static size_t records_count;

static void die(const char *what, const char *where)
{
    fprintf(stderr, "seeds: %s, %s\n", what, where);
    exit(2);
}

static record *record_of(const char *id, int is_stat)
{
    for (size_t i = 0; i < records_count; i++)
        if (strcmp(records[i].id, id) == 0)
            return &records[i];
    if (records_count == MOST)
        die("too many claims", id);
    record *r = &records[records_count++];
    snprintf(r->id, sizeof r->id, "%.63s", id);
    r->is_stat = is_stat;
    return r;
}

static void take(record *r, const char *z, const char *p, const char *verdict)
{
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->p = realloc(r->p, r->room * sizeof *r->p);
        if (!r->p)
            die("out of memory", r->id);
    }
    r->p[r->count++] = strtod(p, NULL);
    r->consistent += strcmp(verdict, "CONSISTENT") == 0;
    attn_moments_add(&r->z, strtod(z, NULL));
}

/* One table: id kind predicted measured uncertainty ratio p caught N seed
 * verdict why. */
static void read_claims(const char *path)
{
    FILE *in = fopen(path, "r");
    char line[LINE];

    if (!in)
        die("cannot be read", path);
    while (fgets(line, sizeof line, in)) {
        char *field[12] = {line};
        for (size_t k = 1; k < 12; k++) {
            char *tab = strchr(field[k - 1], '\t');
            if (!tab)
                die("not a table of claims", path);
            *tab = '\0';
            field[k] = tab + 1;
        }
        const int is_stat = strcmp(field[1], "stat") == 0;
        if (is_stat || strcmp(field[1], "approx") == 0)
            take(record_of(field[0], is_stat), field[5], field[6], field[10]);
    }
    fclose(in);
}

/* p of the largest distance between the sorted p-values and the uniform law:
 * the asymptotic series of Kolmogorov with Stephens's correction for n. */
static double kolmogorov_p(const double *p, size_t n)
{
    const double root = sqrt((double)n);
    double D = 0, sum = 0;

    for (size_t i = 0; i < n; i++) {
        D = fmax(D, fabs(p[i] - (double)i / (double)n));
        D = fmax(D, fabs(p[i] - (double)(i + 1) / (double)n));
    }
    const double x = (root + 0.12 + 0.11 / root) * D;
    for (int k = 1; k <= 100; k++)
        sum += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * x * x);
    return fmin(1, fmax(0, x < 0.2 ? 1 : sum));
}

/* The line of one stat claim; is it off? */
static int judge(FILE *out, record *r)
{
    const double limit = ATTN_CLAIM_ALARM / ATTN_CLAIM_CHECKS;
    const double K = (double)r->count, variance = attn_moments_variance(&r->z);
    size_t beyond = 0;

    gsl_sort(r->p, 1, r->count);
    while (beyond < r->count && r->p[beyond] < limit)
        beyond++;
    const double ks = kolmogorov_p(r->p, r->count);
    const double binomial = beyond
                                ? gsl_cdf_binomial_Q((unsigned)beyond - 1,
                                                     limit, (unsigned)r->count)
                                : 1;
    fprintf(out, "%s\t%zu\t%.4f\t%.4f\t%.4f\t%zu\t%.4g\n", r->id, r->count,
            r->z.mean, variance, ks, beyond, binomial);
    const double z_mean = r->z.mean * sqrt(K);
    const double z_variance = (variance - 1) / sqrt(2 / (K - 1));
    return !(fabs(z_mean) < 4.21 && fabs(z_variance) < 4.21 && ks >= limit &&
             binomial >= limit);
}

static int write_stat(const char *path)
{
    attn_dat *dat = attn_dat_alloc();
    int off = 0;

    if (!dat)
        die("out of memory", path);
    FILE *out = attn_dat_stream(dat);
    fputs("id\tK\tmean_z\tvar_z\tks_p\tbeyond\tbinomial_p\n", out);
    for (size_t i = 0; i < records_count; i++)
        if (records[i].is_stat && judge(out, &records[i])) {
            printf("off: %s\n", records[i].id);
            off = 1;
        }
    if (attn_dat_write(dat, path))
        die("cannot be written", path);
    attn_dat_free(dat);
    return off;
}

/* Every stat claim's sorted p-values, a block a claim, for the figure. */
static void write_values(const char *path)
{
    attn_dat *dat = attn_dat_alloc();
    size_t blocks = 0;

    if (!dat)
        die("out of memory", path);
    FILE *out = attn_dat_stream(dat);
    fputs("# sorted p-values of every stat claim over the seeds\n", out);
    for (size_t i = 0; i < records_count; i++) {
        const record *r = &records[i];
        if (!r->is_stat)
            continue;
        fprintf(out, "%s# %s\nuniform p\n", blocks++ ? "\n\n" : "", r->id);
        for (size_t k = 0; k < r->count; k++)
            fprintf(out, "%.6g %.6g\n", ((double)k + 0.5) / (double)r->count,
                    r->p[k]);
    }
    if (attn_dat_write(dat, path))
        die("cannot be written", path);
    attn_dat_free(dat);
}

static void write_approx(const char *path)
{
    attn_dat *dat = attn_dat_alloc();

    if (!dat)
        die("out of memory", path);
    FILE *out = attn_dat_stream(dat);
    fputs("id\tK\tconsistent\trate\n", out);
    for (size_t i = 0; i < records_count; i++)
        if (!records[i].is_stat)
            fprintf(out, "%s\t%zu\t%zu\t%.4f\n", records[i].id,
                    records[i].count, records[i].consistent,
                    (double)records[i].consistent / (double)records[i].count);
    if (attn_dat_write(dat, path))
        die("cannot be written", path);
    attn_dat_free(dat);
}

int main(int argc, char *argv[])
{
    char path[512];

    if (argc < 3)
        die("usage", "seeds FOLDER FILE.claims.tsv ...");
    for (int i = 2; i < argc; i++)
        read_claims(argv[i]);
    snprintf(path, sizeof path, "%s/seeds.tsv", argv[1]);
    const int off = write_stat(path);
    snprintf(path, sizeof path, "%s/seeds-approx.tsv", argv[1]);
    write_approx(path);
    snprintf(path, sizeof path, "%s/seeds.dat", argv[1]);
    write_values(path);
    return off;
}
