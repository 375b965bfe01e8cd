/*
 * REAL and what goes with it, for a source that is compiled once for double
 * and once, with ATTN_FLOAT defined, for float.
 */
#ifndef ATTN_REAL_H
#define ATTN_REAL_H

#ifdef ATTN_FLOAT
#define REAL float
#define FMA attn_fma_float
#define FMA_SAFE attn_fma_float
#define EXP attn_exp_weight_float
#define MATRIX gsl_matrix_float
#define VECTOR gsl_vector_float
#define NAME(f) f##_float
#else
#define REAL double
#define FMA attn_fma
#define FMA_SAFE attn_fma_safe
#define EXP attn_exp_weight
#define MATRIX gsl_matrix
#define VECTOR gsl_vector
#define NAME(f) f
#endif

#endif
