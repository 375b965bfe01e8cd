# Self-attention, measured. `make help` lists what can be asked for.

# The published seed; every other one gets a folder of its own.
SEED = 1
# Figure formats: svg, pdf, png, in any combination.
FORMAT = svg
# release, asan (address and undefined behaviour), tsan (threads), msan (memory),
# coverage, faults, fuzz: SANITIZE_... below.
VARIANT = release
# MPI=1: programs for mpirun, in the place of the ordinary ones (docs/scaling.md).
MPI =
# V=1 shows the commands whole.
V = 0
Q = $(if $(filter 0,$V),@)

comma := ,
B = build/$(VARIANT)$(if $(filter 1,$(MPI)),-mpi)
OUT = $(if $(filter 1,$(SEED)),results,results/seed-$(SEED))
# Readers type bin/score_spread; a sanitizer build stays in its own folder.
BIN = $(if $(filter release,$(VARIANT)),bin,$(B)/bin)

ifeq ($(wildcard lib/attn_program.h),)
$(error make works in the folder of this Makefile: make -C FOLDER)
endif

PROGRAMS = $(patsubst experiments/%.c,%,$(wildcard experiments/*.c))
FIGURES = $(patsubst plots/%.gp,%,$(filter-out plots/style.gp plots/seeds.gp plots/bench.gp,$(sort $(wildcard plots/*.gp))))
FORMATS = $(subst $(comma), ,$(FORMAT))
SHEET = $(if $(filter svg,$(FORMATS)),$(OUT)/figures.svg)

# pkg-config is asked once, and not before `make setup` has had its chance.
once = $(eval $1 := $(shell $2))$($1)
libs = $(or $(call once,$1,pkg-config --libs $2 2>/dev/null),$(error $2: not found by pkg-config, make setup installs it))
GSL_CFLAGS = $(if $(GSL_LIBS),$(call once,GSL_CFLAGS,pkg-config --cflags gsl))
# GSL's own CBLAS: always the same order of summation, unlike an optimised one.
GSL_LIBS = $(call libs,GSL_LIBS,gsl)
TEST_CFLAGS = $(if $(TEST_LIBS),$(call once,TEST_CFLAGS,pkg-config --cflags criterion mpfr))
TEST_LIBS = $(call libs,TEST_LIBS,criterion mpfr)

# mpicc is the compiler with MPI's own flags.
CC = $(if $(filter 1,$(MPI)),mpicc,gcc)
# `make WERROR=-Werror` is for those who change the code, not for its readers.
WERROR =
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
	-Wstrict-prototypes -Wmissing-prototypes -Wvla $(WERROR)
OPTIMISE = -O3
# No fused multiply-add behind the source's back: same bytes from every
# compiler. No errno, no traps: or gcc vectorises nothing with a sqrt in it.
# gcc 12's SLP vectoriser fuses (a b - c d, a d + c b) all the same (fmaddsub).
NUMERICS = -ffp-contract=off -fno-math-errno -fno-trapping-math \
	-fno-tree-slp-vectorize
SANITIZE_release =
SANITIZE_asan = -fsanitize=address,undefined -fno-sanitize-recover=all -g
SANITIZE_tsan = -fsanitize=thread -g
# OpenMP's library is not compiled with it: one thread, by the lab's omp.h.
SANITIZE_msan = -fsanitize=memory -g -fno-openmp -Wno-unknown-pragmas -Ilab/c
SANITIZE_faults = $(SANITIZE_asan)
SANITIZE_fuzz = -fsanitize=fuzzer-no-link $(SANITIZE_asan)
SANITIZE_coverage = --coverage -DATTN_COVERAGE
SANITIZE = $(SANITIZE_$(VARIANT))
# `make CFLAGS=-g` changes the first line of each and keeps the second.
CPPFLAGS =
override CPPFLAGS += $(if $(filter 1,$(MPI)),-DATTN_MPI) -Ilib -D_POSIX_C_SOURCE=200809L -DHAVE_INLINE -DGSL_RANGE_CHECK_OFF
CFLAGS = $(OPTIMISE)
override CFLAGS += -std=c11 $(WARNINGS) $(NUMERICS) -fopenmp
LDLIBS = -lm

LIB_OBJECTS = $(patsubst %.c,$(B)/%.o,$(wildcard lib/*.c))
PROGRAM_OBJECTS = $(PROGRAMS:%=$(B)/experiments/%.o)
TEST_OBJECTS = $(patsubst %.c,$(B)/%.o,$(wildcard tests/*.c))
BENCH_OBJECTS = $(patsubst %.c,$(B)/%.o,$(filter-out bench/gemm.c,$(wildcard bench/*.c)))
OBJECTS = $(LIB_OBJECTS) $(PROGRAM_OBJECTS) $(TEST_OBJECTS) $(BENCH_OBJECTS) \
	$(B)/tools/seeds.o $(B)/tests/sabotage/sabotage.o $(B)/tests/plain/plain.o \
	$(patsubst %.c,$(B)/%.o,$(wildcard tests/faults/*.c)) \
	$(patsubst %.c,$(B)/%.o,$(wildcard tests/fuzz/*.c))

.DELETE_ON_ERROR:
.PHONY: all setup setup-arm64 setup-bench setup-fuzz setup-lint setup-memory \
	setup-mpi setup-report setup-lab figures claims readme report report-pdf lab seeds \
	bench reproduce test test-arm64 test-faults test-fuzz test-install test-lab \
	test-memory test-mpi test-new test-places test-report test-threads fuzz lint coverage \
	coverage-run valgrind new man install \
	uninstall clean help FORCE

all: $(PROGRAMS:%=$(BIN)/%) ## build the programs into bin/

setup: ## install what is missing, with the system's package manager
	tools/setup.sh tools/packages.txt

setup-bench: ## install what make bench compares with
	tools/setup.sh tools/packages.txt bench/packages.txt

setup-fuzz: ## install clang, for make fuzz
	tools/setup.sh tools/packages.txt tests/fuzz/packages.txt

setup-lint: ## install what make lint, coverage and valgrind need
	tools/setup.sh tools/packages.txt tools/packages-lint.txt

setup-mpi: ## install Open MPI, for MPI=1
	tools/setup.sh tools/packages-mpi.txt

setup-report: ## install what the report and its tests need
	tools/setup.sh report/packages.txt

setup-lab: ## install what the lab and its tests need (emscripten)
	tools/setup.sh lab/packages.txt

setup-arm64: ## unpack what make test-arm64 needs (Debian)
	tools/setup_arm64.sh build/arm64/root

setup-memory: ## compile GSL with the memory sanitizer, for make test-memory (Debian)
	tools/setup_memory.sh build/msan/root

# `make setup figures` is one command: nothing compiles before setup is done.
$(OBJECTS): | $(filter setup%,$(MAKECMDGOALS))

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$Q$(CC) $(CPPFLAGS) $(GSL_CFLAGS) $(EXTRA_CFLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c $< -o $@

$(TEST_OBJECTS) $(B)/tests/plain/plain.o: EXTRA_CFLAGS = $(TEST_CFLAGS)

$(B)/libattn.a: $(LIB_OBJECTS)
	@echo '  AR    $@'
	$Qrm -f $@
	$Q$(AR) rcs $@ $^

# bin/ holds programs of one kind: after a change of MPI all are linked again.
$(BIN)/.kind: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = '$(B)' ] || echo '$(B)' >$@

$(BIN)/%: $(B)/experiments/%.o $(B)/libattn.a $(BIN)/.kind
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) $(filter-out %/.kind,$^) $(GSL_LIBS) $(LDLIBS) -o $@

figures: $(foreach f,$(FORMATS),$(FIGURES:%=$(OUT)/%.$(f))) $(SHEET) ## run every experiment, draw every figure (SEED=7, FORMAT=svg,pdf,png)

# A verdict of any kind is a result (status 0, 1, 3); anything else stops make.
# One run makes both, as the targets of a pattern do in any make.
$(OUT)/%.dat $(OUT)/%.claims.tsv: $(BIN)/%
	@echo '  RUN   $<'
	$Q$< --quiet --seed $(SEED) --out $(OUT); s=$$?; case $$s in 0|1|3) ;; *) exit $$s;; esac

# What is drawn and printed is made in $(B) and then put in place: the old file
# stays until the new one is whole.
define place
@mkdir -p $(B)/$(@D)
$Q$1 $(B)/$@
$Qmv -f $(B)/$@ $@
endef

# Figure S and its further ones S-name are drawn from S.dat. A folder's name
# cannot hold two stems in one pattern, so each figure gets its rule here.
define figure
$$(OUT)/$1.$2: plots/$1.gp plots/style.gp $$(OUT)/$(firstword $(subst -, ,$1)).dat
	@echo '  PLOT  $$@'
	$$(call place,gnuplot -d -c plots/style.gp $$< $$(OUT)/$(firstword $(subst -, ,$1)).dat)
endef
$(foreach f,$(FORMATS),$(foreach p,$(FIGURES),$(eval $(call figure,$p,$f))))

$(OUT)/figures.svg: tools/sheet.awk $(FIGURES:%=$(OUT)/%.svg)
	@echo '  SHEET $@'
	$(call place,LC_ALL=C awk -f $< $(filter %.svg,$^) >)

claims: $(PROGRAMS:%=$(OUT)/%.claims.tsv) ## every claim in one table, and the suite's verdict
	$Qcolour=; [ ! -t 1 ] || [ -n "$$NO_COLOR" ] || [ "$$TERM" = dumb ] || colour=1; \
		LC_ALL=C awk -v colour=$$colour -f tools/claims.awk docs/ledger.tsv $^

# Seeds 1001, 1002, ...: declared, and none of them is the published one.
K = 200
# A training run is long: fewer heads of it, as its own options allow.
SEED_OPTIONS_head_training = --trials 16 --tuning 2 --followed 1
CALIBRATED = $(filter score_spread softmax_jacobian born_saturated receptive_field head_training,$(PROGRAMS))
ifneq ($(filter seeds,$(MAKECMDGOALS)),)
SEED_LIST := $(shell seq 1001 $$((1000 + $(K))))
define seed_run
$(B)/seeds/$1/$2.claims.tsv: $(BIN)/$2
	$Q$(BIN)/$2 $(SEED_OPTIONS_$2) --quiet --threads 1 --seed $1 --out $(B)/seeds/$1; s=$$$$?; case $$$$s in 0|1|3) ;; *) exit $$$$s;; esac
endef
$(foreach s,$(SEED_LIST),$(foreach p,$(CALIBRATED),$(eval $(call seed_run,$s,$p))))
endif

seeds: $(foreach s,$(SEED_LIST),$(CALIBRATED:%=$(B)/seeds/$s/%.claims.tsv)) $(B)/tools/seeds ## calibrate all verdicts over K=200 seeds (-j2: two at a time)
	$(B)/tools/seeds results $(filter %.tsv,$^)
	gnuplot -d -c plots/style.gp plots/seeds.gp results/seeds.dat results/seeds.svg

$(B)/tools/seeds: $(B)/tools/seeds.o $(B)/libattn.a
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) $^ $(GSL_LIBS) $(LDLIBS) -o $@

readme: $(PROGRAMS:%=results/%.claims.tsv) ## refresh the README's tables from results/
	$QLC_ALL=C awk -f tools/readme.awk docs/ledger.tsv $^ README.md > $(B)/claims.md
	$QLC_ALL=C awk -f bench/readme.awk results/bench.md $(B)/claims.md > $(B)/README.md
	$Qcp $(B)/README.md README.md

REPORT_SOURCES = README.md tools/claims.awk $(wildcard docs/*.tsv docs/*.md report/*.*) \
	$(wildcard results/seeds.svg)
report: $(OUT)/report.html ## the lecture's claims on one page (pandoc): results/report.html

$(OUT)/report.html: $(REPORT_SOURCES) $(PROGRAMS:%=$(OUT)/%.claims.tsv) $(FIGURES:%=$(OUT)/%.svg) | $(filter setup-report,$(MAKECMDGOALS))
	@echo '  PAGE  $@'
	$(call place,report/build.sh $(OUT) >)

report-pdf: $(OUT)/report.pdf ## the same as a handout (chromium)

$(OUT)/report.pdf: $(OUT)/report.html
	@echo '  PRINT $@'
	$(call place,report/print.sh $<)

# The committed page, as it is: nothing is measured again for its tests.
test-report: report/test/node_modules ## the report in a real browser (node, chromium)
	@mkdir -p $(B)
	$Qreport/build.sh results > $(B)/report.html
	$QFRESH='$(CURDIR)/$(B)/report.html' node --test report/test

report/test/node_modules: report/test/package-lock.json | $(filter setup-report setup-lab,$(MAKECMDGOALS))
	cd report/test && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

lab: | $(filter setup-lab,$(MAKECMDGOALS)) ## the library live in a browser page (emscripten): results/lab.html
	$Qlab/build.sh

lab/node_modules: lab/package-lock.json | $(filter setup-lab,$(MAKECMDGOALS))
	cd lab && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

# The committed page, as it is: no compiler is needed for its tests.
test-lab: $(PROGRAMS:%=$(BIN)/%) report/test/node_modules lab/node_modules ## the lab in a real browser, its numbers beside the programs'
	$Qnode --test lab/test

$(B)/tests/all: $(TEST_OBJECTS) $(B)/libattn.a
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) $^ $(TEST_LIBS) $(GSL_LIBS) $(LDLIBS) -o $@

# The same tests, where Criterion's own runner cannot start them.
$(B)/tests/all-plain: $(B)/tests/plain/plain.o $(TEST_OBJECTS) $(B)/libattn.a
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) $^ $$(pkg-config --libs mpfr) $(GSL_LIBS) $(LDLIBS) -o $@

# Copies of the programs in which any one law can be broken: every call of
# these functions goes through tests/sabotage/sabotage.c.
WRAPPED = $(shell grep -ohE '^WRAP.[a-z_ *]+, [a-z_]+' tests/sabotage/sabotage.c | sed 's/.* //')
$(B)/sabotaged/%: $(B)/experiments/%.o $(B)/tests/sabotage/sabotage.o $(B)/libattn.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) $(WRAPPED:%=-Wl,--wrap=%) $^ $(GSL_LIBS) $(LDLIBS) -o $@

# Copies of the programs that run again and again, one allocation failing (the
# GNU C library only).
$(B)/faults/%: $(B)/experiments/%.o $(B)/tests/faults/program.o $(B)/tests/faults/allocate.o $(B)/libattn.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) -Wl,--wrap=main $^ $(GSL_LIBS) $(LDLIBS) -o $@

# It answers before a sanitizer is ready, so it is compiled without.
$(B)/tests/faults/allocate.o: SANITIZE = $(if $(filter faults,$(VARIANT)),-DATTN_ASAN)

# The same for the library's functions, one by one.
$(B)/faults/library: $(B)/tests/faults/library.o $(B)/tests/faults/allocate.o $(B)/libattn.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) $^ $(GSL_LIBS) $(LDLIBS) -o $@

# FILTER='softmax/*' runs one suite, FILTER='!(sabotage)/*' all others.
FILTER = *
test: $(B)/tests/all $(PROGRAMS:%=$(BIN)/%) $(PROGRAMS:%=$(B)/sabotaged/%) ## run the tests (VARIANT=asan: under sanitizers)
	$QATTN_SABOTAGED=$(B)/sabotaged tools/test.sh $(B)/tests/all $(BIN) --filter '$(FILTER)'

# Fuzzers: the library again by clang, with libFuzzer and its sanitizers.
FUZZERS = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
SECONDS = 60
fuzz: ## look for inputs that break the library, for SECONDS=60
	$Q+MAKE='$(MAKE)' tools/fuzz.sh $(SECONDS) $(FUZZERS)

test-fuzz: ## the fuzzers on their committed inputs (skipped without clang)
	$Q+MAKE='$(MAKE)' tools/fuzz.sh 0 $(FUZZERS)

$(B)/fuzz/%: $(B)/tests/fuzz/fuzz_%.o $(B)/libattn.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) -fsanitize=fuzzer $^ $(GSL_LIBS) $(LDLIBS) -o $@

$(BENCH_OBJECTS:.o=): %: %.o $(B)/libattn.a
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) $^ $(GSL_LIBS) $(LDLIBS) -o $@

# The one program with an optimised BLAS; where there is none, bench goes on
# without it and says so.
$(B)/bench/gemm: bench/gemm.c $(B)/libattn.a Makefile
	@mkdir -p $(@D)
	$Qif pkg-config --exists openblas; then \
	    echo '  LINK  $@'; \
	    $(CC) $(CPPFLAGS) $(CFLAGS) $$(pkg-config --cflags openblas gsl) \
	        $< $(B)/libattn.a $$(pkg-config --libs openblas gsl) $(LDLIBS) -o $@; \
	else \
	    echo '  bench: OpenBLAS is not installed, gemm is left out'; \
	fi

# It depends on the machine and the clock, so it is asked for, and a quick run
# is no record.
QUICK = 0
BENCH_OUT = results$(if $(filter 0,$(QUICK)),,/scratch)
bench: $(BIN)/score_spread $(patsubst %.c,$(B)/%,$(wildcard bench/*.c)) ## speed beside NumPy, PyTorch, Octave, R: results/bench.md (QUICK=1: a minute)
	CC='$(CC)' QUICK=$(QUICK) bench/run.sh $(BENCH_OUT) $(B) $(BIN)
	$Qgnuplot -d -c plots/style.gp plots/bench.gp $(BENCH_OUT)/bench.dat $(BENCH_OUT)/bench.svg

FAST = 0
test-faults: $(PROGRAMS:%=$(BIN)/%) $(PROGRAMS:%=$(B)/faults/%) $(B)/faults/library ## no memory, no room, no gnuplot, killed: nothing is lost (FAST=1: a minute)
	$Q$(MAKE) -s VARIANT=faults OPTIMISE='-O1 -DATTN_NO_CLONES' build/faults/faults/library
	$QFAST=$(FAST) tools/test_faults.sh $(BIN) $(B)/faults build/faults/faults/library $(PROGRAMS)

test-places: ## odd folders, locales, clocks, shells, compilers: builds and runs all the same
	$Qtools/test_places.sh

test-mpi: ## the same bytes from any number of MPI ranks (needs make setup-mpi)
	$Qtools/test_mpi.sh

# CC and VARIANT are the script's own.
test-arm64: all ## the same bytes on arm64, under qemu (an hour; QUICK=1: minutes)
	$QQUICK=$(QUICK) tools/test_arm64.sh $(PROGRAMS)

reproduce: all ## the same bytes from gcc and clang, -O0 to -O3, any threads (20 minutes)
	$Qtools/reproduce.sh $(PROGRAMS)

lint: ## format, scripts, cppcheck, clang-tidy: all clean (needs make setup-lint)
	$Qtools/lint.sh $(CPPFLAGS)

# The unit tests and the allocations that fail; running the programs reaches
# nothing more. Little optimised and not inlined, for lines that stay apart.
coverage: ## each line of lib/ is reached or explained in tests/unreached.tsv (gcovr; 10 minutes)
	$Q$(MAKE) --no-print-directory VARIANT=coverage OPTIMISE='-O1 -fno-inline' coverage-run
	$Qtools/coverage.sh build/coverage tests/unreached.tsv

coverage-run: $(B)/tests/all $(BIN)/score_spread $(B)/faults/score_spread $(B)/faults/worked_example $(B)/faults/library
	$Qfind $(B) -name '*.gcda' -delete
	$Qtools/test.sh $(B)/tests/all $(BIN) --filter '!(bad_input|figures|ledger|programs|sabotage)/*'
	$QONLY=memory tools/test_faults.sh $(BIN) $(B)/faults $(B)/faults/library score_spread

# The unit tests without Criterion's runner, which survives no instrument. Left
# out: what starts the programs, of the ordinary kind; what limits the memory
# that a process may have; under valgrind also what goes through millions of
# numbers, at a fiftieth of the speed, and children that end in a test's midst
# with what it holds.
OTHERS = 'bad_input/*' 'figures/*' 'ledger/*' 'programs/*' 'sabotage/*' \
	'*_where_n_squared_*'
MILLIONS = 'fma/*' 'reference/*' 'train*/*' 'math/*_1_ulp' 'claim/a_sweep_*' \
	'sample/neighbours_*' 'sample/*normal*' 'program/*'

# gcc's OpenMP does not tell the sanitizer where threads meet, clang's does.
test-threads: all ## the unit tests under the thread sanitizer (needs make setup-fuzz)
	$Q$(MAKE) --no-print-directory VARIANT=tsan CC=clang OPTIMISE=-O1 build/tsan/tests/all-plain
	$QATTN_BIN=$(BIN) TSAN_OPTIONS=ignore_noninstrumented_modules=1:allocator_may_return_null=1 \
		build/tsan/tests/all-plain $(OTHERS)

# The programs too. MPFR is not compiled with the sanitizer.
test-memory: ## the tests under the memory sanitizer (needs make setup-memory; 6 minutes)
	$Q[ -e build/msan/root/complete ] || { echo 'test-memory: run make setup-memory before' >&2; exit 2; }
	$QPKG_CONFIG_PATH='$(CURDIR)/build/msan/root/lib/pkgconfig' $(MAKE) --no-print-directory \
		VARIANT=msan CC=clang MPI= OPTIMISE='-O1 -DATTN_NO_CLONES' all build/msan/tests/all-plain
	$QATTN_BIN=build/msan/bin MSAN_OPTIONS=allocator_may_return_null=1 \
		build/msan/tests/all-plain $(filter-out 'programs/*',$(OTHERS)) 'reference/*'

# valgrind has no AVX-512: the loader's choice falls on AVX2.
valgrind: all $(B)/tests/all-plain ## the unit tests under valgrind's memcheck (5 minutes; needs make setup-lint)
	$QATTN_BIN=$(BIN) valgrind --quiet --error-exitcode=9 \
		--leak-check=full --show-leak-kinds=definite \
		--errors-for-leak-kinds=definite \
		$(B)/tests/all-plain $(OTHERS) $(MILLIONS)

# Programs, their man pages and plot scripts, the library with its headers.
PREFIX = /usr/local
DESTDIR =
ATTN_VERSION = $(call once,ATTN_VERSION,sed -n 's/^.define ATTN_VERSION "\(.*\)"/\1/p' lib/attn_program.h)
TO = $(DESTDIR)$(PREFIX)
PAGES = $(PROGRAMS:%=$(B)/man/%.1)

man: $(PAGES) ## make the manual pages from what --help says

$(B)/man/%.1: $(BIN)/%
	@mkdir -p $(@D)
	@echo '  MAN   $@'
	$Qhelp2man --no-info --source='self-attention, measured' --output=$@ \
		--name="$$($< --help | sed -n 's/^Lecture section: /an experiment on self-attention: /p')" $<

$(B)/attn.pc: lib/attn_program.h
	@mkdir -p $(@D)
	$Qprintf '%s\n' 'prefix=$${pcfiledir}/../..' 'Name: attn' 'Version: $(ATTN_VERSION)' \
		'Description: self-attention and its statistics, the library behind the programs' \
		'Requires: gsl' 'Cflags: -I$${prefix}/include/attn' \
		'Libs: -L$${prefix}/lib -lattn -fopenmp -lm' > $@

# Headers for the library's own sources, short names and all.
PRIVATE = $(foreach h,clones count exp fma real tile ziggurat,lib/attn_$h.h)

install: all $(PAGES) $(B)/attn.pc ## install to PREFIX=/usr/local: programs, pages, scripts, library
	install -d "$(TO)/bin" "$(TO)/lib/pkgconfig" "$(TO)/include/attn" \
		"$(TO)/share/man/man1" "$(TO)/share/attn/plots"
	install $(PROGRAMS:%=$(BIN)/%) "$(TO)/bin"
	install -m 644 $(B)/libattn.a "$(TO)/lib"
	install -m 644 $(B)/attn.pc "$(TO)/lib/pkgconfig"
	install -m 644 $(filter-out $(PRIVATE),$(wildcard lib/*.h)) "$(TO)/include/attn"
	install -m 644 $(PAGES) "$(TO)/share/man/man1"
	install -m 644 plots/*.gp "$(TO)/share/attn/plots"

uninstall: ## remove what install put there
	$(RM) $(PROGRAMS:%="$(TO)/bin/%") "$(TO)/lib/libattn.a" \
		"$(TO)/lib/pkgconfig/attn.pc" $(PROGRAMS:%="$(TO)/share/man/man1/%.1")
	$(RM) -r "$(TO)/include/attn" "$(TO)/share/attn"

test-install: all $(PAGES) $(B)/attn.pc ## install to a folder of its own, use it, uninstall
	$Qtools/test_install.sh $(PROGRAMS)

new: ## lay down an experiment of your own: make new NAME=my_experiment
	$Q+MAKE='$(MAKE)' tools/new.sh "$$NAME"

test-new: all $(B)/tests/all ## test `make new` in a copy of this tree
	$Qtools/test_new.sh

clean: ## remove what was built; results stay
	rm -rf build bin

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

-include $(OBJECTS:.o=.d)
