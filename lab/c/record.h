/* What an experiment that runs by parts has recorded, as text. */
#ifndef LAB_RECORD_H
#define LAB_RECORD_H

#include "attn_program.h"

/* All are kept until they are taken anew. */
typedef struct {
    char *rows;      /* blocks of the .dat file, each under its row of names */
    char *narrative; /* what the program prints before the verdicts */
    char *lines;     /* the verdicts as it prints them */
} lab_record;

/*
 * Call part(&run) on an empty run of this seed and take what it has recorded.
 * The part's GSL status, or GSL_ENOMEM; what the record holds after a failure
 * is not defined.
 */
int lab_record_take(lab_record *record, uint64_t seed,
                    int (*part)(attn_run *run));

#endif
