/* What every file of exports begins with. */
#ifndef LAB_H
#define LAB_H

#include <emscripten.h>

/* Before a function: JavaScript finds it under its name. Words of 64 bits are
 * BigInts there; pointers are places in the module's memory. */
#define LAB_EXPORT EMSCRIPTEN_KEEPALIVE

#endif
