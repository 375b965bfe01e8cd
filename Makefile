# Self-attention, measured. `make help` lists what can be asked for.

# The published seed; every other one gets a folder of its own.
SEED = 1
# Figure formats: svg, pdf, png, in any combination.
FORMAT = svg
# release, asan (address and undefined behaviour), tsan (threads).
VARIANT = release
# V=1 shows the commands whole.
V = 0
Q = $(if $(filter 0,$V),@)

comma := ,
B = build/$(VARIANT)
OUT = $(if $(filter 1,$(SEED)),results,results/seed-$(SEED))
# Readers type bin/score_spread; a sanitizer build stays in its own folder.
BIN = $(if $(filter release,$(VARIANT)),bin,$(B)/bin)

PROGRAMS = $(patsubst experiments/%.c,%,$(wildcard experiments/*.c))
FIGURES = $(patsubst plots/%.gp,%,$(filter-out plots/style.gp plots/seeds.gp,$(sort $(wildcard plots/*.gp))))
FORMATS = $(subst $(comma), ,$(FORMAT))
SHEET = $(if $(filter svg,$(FORMATS)),$(OUT)/figures.svg)

# pkg-config is asked once, and not before `make setup` has had its chance.
once = $(eval $1 := $(shell $2))$($1)
GSL_CFLAGS = $(call once,GSL_CFLAGS,pkg-config --cflags gsl)
# GSL's own CBLAS: always the same order of summation, unlike an optimised one.
GSL_LIBS = $(call once,GSL_LIBS,pkg-config --libs gsl)
TEST_CFLAGS = $(call once,TEST_CFLAGS,pkg-config --cflags criterion mpfr)
TEST_LIBS = $(call once,TEST_LIBS,pkg-config --libs criterion mpfr)

CC = gcc
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
SANITIZE = $(SANITIZE_$(VARIANT))
CPPFLAGS = -Ilib -D_POSIX_C_SOURCE=200809L -DHAVE_INLINE -DGSL_RANGE_CHECK_OFF
CFLAGS = -std=c11 $(OPTIMISE) $(WARNINGS) $(NUMERICS) -fopenmp
LDLIBS = -lm

LIB_OBJECTS = $(patsubst %.c,$(B)/%.o,$(wildcard lib/*.c))
PROGRAM_OBJECTS = $(PROGRAMS:%=$(B)/experiments/%.o)
TEST_OBJECTS = $(patsubst %.c,$(B)/%.o,$(wildcard tests/*.c))
OBJECTS = $(LIB_OBJECTS) $(PROGRAM_OBJECTS) $(TEST_OBJECTS) \
	$(B)/tests/sabotage/sabotage.o

.DELETE_ON_ERROR:
.PHONY: all setup figures claims readme seeds reproduce test clean help \
	man install uninstall test-install

all: $(PROGRAMS:%=$(BIN)/%) ## build the programs into bin/

setup: ## install what is missing, with the system's package manager
	tools/setup.sh

# `make setup figures` is one command: nothing compiles before setup is done.
$(OBJECTS): | $(filter setup,$(MAKECMDGOALS))

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$Q$(CC) $(CPPFLAGS) $(GSL_CFLAGS) $(EXTRA_CFLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c $< -o $@

$(TEST_OBJECTS): EXTRA_CFLAGS = $(TEST_CFLAGS)

$(B)/libattn.a: $(LIB_OBJECTS)
	@echo '  AR    $@'
	$Qrm -f $@
	$Q$(AR) rcs $@ $^

$(BIN)/%: $(B)/experiments/%.o $(B)/libattn.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) $^ $(GSL_LIBS) $(LDLIBS) -o $@

figures: $(foreach f,$(FORMATS),$(FIGURES:%=$(OUT)/%.$(f))) $(SHEET) ## run every experiment, draw every figure (SEED=7, FORMAT=svg,pdf,png)

# A verdict of any kind is a result (status 0, 1, 3); anything else stops make.
$(OUT)/%.dat $(OUT)/%.claims.tsv &: $(BIN)/%
	@echo '  RUN   $<'
	$Q$< --quiet --seed $(SEED) --out $(OUT); s=$$?; case $$s in 0|1|3) ;; *) exit $$s;; esac

# Figure S and its further ones S-name are drawn from S.dat. A folder's name
# cannot hold two stems in one pattern, so each figure gets its rule here.
define figure
$$(OUT)/$1.$2: plots/$1.gp plots/style.gp $$(OUT)/$(firstword $(subst -, ,$1)).dat
	@echo '  PLOT  $$@'
	$Qgnuplot -d -c plots/style.gp $$< $$(OUT)/$(firstword $(subst -, ,$1)).dat $$@
endef
$(foreach f,$(FORMATS),$(foreach p,$(FIGURES),$(eval $(call figure,$p,$f))))

$(OUT)/figures.svg: tools/sheet.awk $(FIGURES:%=$(OUT)/%.svg)
	@echo '  SHEET $@'
	$Qawk -f $< $(filter %.svg,$^) > $@

claims: $(PROGRAMS:%=$(OUT)/%.claims.tsv) ## every claim in one table, and the suite's verdict
	$Qcolour=; [ ! -t 1 ] || [ -n "$$NO_COLOR" ] || [ "$$TERM" = dumb ] || colour=1; \
		awk -v colour=$$colour -f tools/claims.awk docs/ledger.tsv $^

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

readme: $(PROGRAMS:%=results/%.claims.tsv) ## refresh the README's table from results/
	$Qawk -f tools/readme.awk docs/ledger.tsv $^ README.md > $(B)/README.md
	$Qcp $(B)/README.md README.md

$(B)/tests/all: $(TEST_OBJECTS) $(B)/libattn.a
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) $^ $(TEST_LIBS) $(GSL_LIBS) $(LDLIBS) -o $@

# Copies of the programs in which any one law can be broken: every call of
# these functions goes through tests/sabotage/sabotage.c.
WRAPPED = $(shell grep -ohE '^WRAP.[a-z_ *]+, [a-z_]+' tests/sabotage/sabotage.c | sed 's/.* //')
$(B)/sabotaged/%: $(B)/experiments/%.o $(B)/tests/sabotage/sabotage.o $(B)/libattn.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$Q$(CC) $(CFLAGS) $(SANITIZE) $(WRAPPED:%=-Wl,--wrap=%) $^ $(GSL_LIBS) $(LDLIBS) -o $@

test: $(B)/tests/all $(PROGRAMS:%=$(BIN)/%) $(PROGRAMS:%=$(B)/sabotaged/%) ## run the tests (VARIANT=asan: under sanitizers)
	$QATTN_SABOTAGED=$(B)/sabotaged tools/test.sh $(B)/tests/all $(BIN)

reproduce: all ## the same bytes from gcc and clang, -O0 to -O3, any threads (10 minutes)
	$Qtools/reproduce.sh $(PROGRAMS)

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

install: all $(PAGES) $(B)/attn.pc ## install to PREFIX=/usr/local: programs, pages, scripts, library
	install -d "$(TO)/bin" "$(TO)/lib/pkgconfig" "$(TO)/include/attn" \
		"$(TO)/share/man/man1" "$(TO)/share/attn/plots"
	install $(PROGRAMS:%=$(BIN)/%) "$(TO)/bin"
	install -m 644 $(B)/libattn.a "$(TO)/lib"
	install -m 644 $(B)/attn.pc "$(TO)/lib/pkgconfig"
	install -m 644 lib/*.h "$(TO)/include/attn"
	install -m 644 $(PAGES) "$(TO)/share/man/man1"
	install -m 644 plots/*.gp "$(TO)/share/attn/plots"

uninstall: ## remove what install put there
	$(RM) $(PROGRAMS:%="$(TO)/bin/%") "$(TO)/lib/libattn.a" \
		"$(TO)/lib/pkgconfig/attn.pc" $(PROGRAMS:%="$(TO)/share/man/man1/%.1")
	$(RM) -r "$(TO)/include/attn" "$(TO)/share/attn"

test-install: all $(PAGES) $(B)/attn.pc ## install to a folder of its own, use it, uninstall
	$Qtools/test_install.sh $(PROGRAMS)

clean: ## remove what was built; results stay
	rm -rf build bin

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

-include $(OBJECTS:.o=.d)
