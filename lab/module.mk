# build/lab/lab.wasm: lib/, every program and the lab's own exports as one
# WebAssembly module. lab/build.sh calls this once GSL is there.

W = build/lab
GSL = $(W)/gsl/gsl
FOLDERS = blas block cblas cdf complex err fit integration matrix permutation \
	randist rng roots sort specfunc statistics sys vector
GSL_LIBRARIES = $(foreach f,$(FOLDERS),$(GSL)/$f/.libs/libgsl$f.a) \
	$(GSL)/utils/.libs/libutils.a

PROGRAMS = $(patsubst experiments/%.c,%,$(wildcard experiments/*.c))
# lab/c/S.c includes experiments/S.c, and adds exports that use what is in it.
EXTENDED = $(filter $(patsubst lab/c/%.c,%,$(wildcard lab/c/*.c)),$(PROGRAMS))
SOURCES = $(filter-out lib/attn_plot.c,$(sort $(wildcard lib/*.c))) \
	$(sort $(wildcard lab/c/*.c)) \
	$(patsubst %,experiments/%.c,$(filter-out $(EXTENDED),$(PROGRAMS)))
OBJECTS = $(SOURCES:%.c=$(W)/obj/%.o)

WARNINGS = -Wall -Wextra -Wpedantic -Wno-unknown-pragmas -Werror
CFLAGS = -std=c11 -O3 -msimd128 -ffp-contract=off -fno-math-errno \
	-fno-trapping-math $(WARNINGS)
CPPFLAGS = -Ilab/c -Ilib -I$(W)/obj -I$(GSL) -include lab/c/words.h \
	-D_POSIX_C_SOURCE=200809L -DHAVE_INLINE -DGSL_RANGE_CHECK_OFF
LDFLAGS = -O3 --no-entry -s STANDALONE_WASM=1 -s ALLOW_MEMORY_GROWTH=1 \
	-s WASM_BIGINT=1 -s TOTAL_STACK=1MB -s EXPORTED_FUNCTIONS=_malloc,_free

.DELETE_ON_ERROR:

$(W)/lab.wasm: $(OBJECTS)
	@echo '  LINK  $@'
	@emcc $(LDFLAGS) $^ $(GSL_LIBRARIES) -o $@

$(W)/obj/%.o: %.c lab/module.mk | $(W)/obj/programs.h
	@mkdir -p $(@D)
	@echo '  EMCC  $<'
	@emcc $(CPPFLAGS) $(CFLAGS) $(RENAME) -MMD -MP -c $< -o $@

$(W)/obj/experiments/%.o: RENAME = -Dmain=$(*F)_main -Wno-missing-prototypes

$(W)/obj/programs.h: lab/module.mk $(PROGRAMS:%=experiments/%.c)
	@mkdir -p $(@D)
	@{ printf 'int %s_main(int argc, char *argv[]);\n' $(PROGRAMS); \
	echo '#define PROGRAMS \'; \
	printf '    {"%s", %s_main}, \\\n' $(foreach p,$(PROGRAMS),$p $p); echo; } >$@

-include $(OBJECTS:.o=.d)
