# Relevance vector machines: rvm-train, rvm-predict, rvm-scale, rvm-plot, and the library librvm-ml.
# GNU make; `make help` lists targets.
#
# Yours to set, on the command line or in the environment:
#   CC CFLAGS CPPFLAGS LDFLAGS LDLIBS    added to our own flags, later, so that yours win
#   BLAS                                 auto: OpenBLAS, else GSL's own; openblas; generic: -lblas, which
#                                        distributions let their users replace
#   MPICC                                the compiler of an MPI, for rvm-train-mpi (mpicc)
#   PREFIX DESTDIR BINDIR LIBDIR INCLUDEDIR MANDIR BASHDIR ZSHDIR PYTHONDIR
#                                        where `make install` puts things
#   FLAVOUR                              release, asan, coverage, ... or a name of your own; each
#                                        builds in build/FLAVOUR, so flavours leave each other alone
#   PYTHON                               a Python that has numpy, for tests of python/ (python3)
#   JOBS                                 suites and command-line tests that run at a time (2)
#   V=1                                  show every command in full

PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR  ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
# Where a Python looks for modules depends on its version; this is for PYTHONPATH, or for copying.
PYTHONDIR ?= $(PREFIX)/share/rvm-ml
FLAVOUR ?= release
CLANG   ?= clang
OBJCOPY ?= objcopy
BLAS    ?= auto
MPICC   ?= mpicc
FUZZ_SECONDS ?= 30

VERSION := $(shell sed -n 's/^\#define RVM_VERSION "\(.*\)"/\1/p' lib/rvm.h)

# ---- make deps ------------------------------------------------------------------------------------
# Nothing about the libraries can be found out before deps has installed them, and make reads this
# file only once.  So when deps is one of several goals, the others run in a make of their own.
# deps-mpi likewise, for what rvm-train-mpi needs beside that.

DEPS          := $(filter deps deps-mpi,$(MAKECMDGOALS))
packages      = $(foreach goal,$(DEPS),$($(goal)_$(1)))
deps_brew     := pkg-config gsl openblas check
deps_apt      := gcc libc6-dev make pkg-config libgsl-dev libopenblas-dev check \
                 clang-format cppcheck valgrind
deps_dnf      := gcc make pkgconf-pkg-config gsl-devel openblas-devel check-devel \
                 clang-tools-extra cppcheck valgrind
deps_pacman   := gcc make pkgconf gsl openblas check clang cppcheck valgrind
deps-mpi_brew   := open-mpi
deps-mpi_apt    := libopenmpi-dev openmpi-bin
deps-mpi_dnf    := openmpi-devel
deps-mpi_pacman := openmpi

ifneq ($(DEPS),)

after_deps := $(filter-out $(DEPS),$(MAKECMDGOALS))

.PHONY: deps deps-mpi packages $(after_deps)
deps deps-mpi: packages
packages:
	@sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	missing() { has=$$1; shift; for p; do $$has "$$p" >/dev/null 2>&1 || printf ' %s' "$$p"; done; }; \
	has_deb() { dpkg-query -W -f '$${db:Status-Status}' "$$1" | grep -qx installed; }; \
	report() { if [ -z "$$need" ]; then echo "deps: nothing is missing"; exit 0; fi; \
	    echo "deps: installing$$need"; rm -f build/config-*.mk; }; \
	if command -v apt-get >/dev/null; then \
	    need=$$(missing has_deb $(call packages,apt)); report; \
	    apt="$$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y"; \
	    $$apt update || echo "deps: no fresh package lists, going on with those that are here" >&2; \
	    $$apt --no-install-recommends install $$need >/dev/null; \
	elif command -v dnf >/dev/null; then \
	    need=$$(missing 'rpm -q' $(call packages,dnf)); report; $$sudo dnf -y install $$need; \
	elif command -v pacman >/dev/null; then \
	    need=$$(missing 'pacman -Q' $(call packages,pacman)); report; \
	    $$sudo pacman -Sy --noconfirm --needed $$need; \
	elif command -v brew >/dev/null; then \
	    need=$$(missing 'brew list' $(call packages,brew)); report; brew install $$need; \
	else \
	    echo "deps: no apt-get, dnf, pacman or brew here; install by hand: a C compiler, make," \
	        "pkg-config, GSL, OpenBLAS, check; for rvm-train-mpi an MPI" >&2; exit 1; \
	fi

ifneq ($(after_deps),)
$(firstword $(after_deps)): $(DEPS)
	@$(MAKE) --no-print-directory $(after_deps)
$(wordlist 2,$(words $(after_deps)),$(after_deps)): $(firstword $(after_deps)) ; @:
endif

else # ---- everything but deps ---------------------------------------------------------------------

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

# ---- what this machine offers ----------------------------------------------------------------------
# Found by compiling and linking, once for each choice of compiler and user flags, and kept in
# build/config-ID.mk.  GSL_CFLAGS GSL_LIBS SIMD FLOAT CHECK_CFLAGS CHECK_LIBS MPI_CFLAGS MPI_LIBS come
# from there; MPI_LIBS is empty where there is no MPI, FLOAT but where a processor's first choice is to
# compute with more digits than doubles have, as that of 32-bit PCs.

quote     = '$(subst ','\'',$(1))'
CONFIG_ID := $(shell printf '%s' \
                 $(call quote,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(LDLIBS) $(MPICC) $(BLAS)) | \
                 cksum | tr ' ' '-')
CONFIG    := build/config-$(CONFIG_ID).mk
NO_CONFIG := clean distclean help dist format man uninstall

ifneq ($(filter-out $(NO_CONFIG),$(or $(MAKECMDGOALS),all)),)
include $(CONFIG)
endif

# OpenBLAS may take the place of libblas later: its functions for threads, which parallel.c can do
# without, are looked for again when a program starts.
LATE := -Wl,-z,dynamic-undefined-weak

define FIND_LIBRARIES
t=$(@:.mk=); trap 'rm -f "$$t" "$$t.c"' EXIT; \
try() { printf '%s\n' "$$1" "int main(void) { return ($$2) != 0; }" >"$$t.c"; shift 2; \
    $(CC) $(CPPFLAGS) $(CFLAGS) "$$t.c" -o "$$t" $(LDFLAGS) "$$@" $(LDLIBS) 2>/dev/null; }; \
pc() { pkg-config "$$@" 2>/dev/null || :; }; \
$(CC) --version >/dev/null 2>&1 || { echo "no C compiler '$(CC)'; try: make deps" >&2; exit 1; }; \
gsl_cflags=$$(pc --cflags gsl); gsl_where=$$(pc --libs-only-L gsl); blas_where=$$(pc --libs-only-L openblas); \
check_cflags=$$(pc --cflags check); check_libs=$$(pc --libs check); \
gsl='#include <gsl/gsl_blas.h>'; dot='gsl_blas_dnrm2(0) != 0'; \
gsl_with() { libs="$$*"; try "$$gsl" "$$dot" $$gsl_cflags $$libs; }; \
openblas() { blas=openblas; gsl_with $$gsl_where $$blas_where -lgsl -lopenblas -lm && \
    try 'int openblas_get_num_threads(void);' 'openblas_get_num_threads()' $$libs; }; \
generic() { blas=libblas; gsl_with $$gsl_where -lgsl -lblas -lm $(LATE) || \
    gsl_with $$gsl_where -lgsl -lcblas -lblas -lm $(LATE); }; \
gslcblas() { blas=gslcblas; gsl_with $$gsl_where -lgsl -lgslcblas -lm && \
    echo "notice: no OpenBLAS here; GSL's own BLAS does, many times slower on large problems (make deps)"; }; \
case '$(BLAS)' in \
auto) openblas || gslcblas || { echo "GSL not found; try: make deps" >&2; exit 1; } ;; \
openblas) openblas || { echo "GSL and OpenBLAS not found; try: make deps" >&2; exit 1; } ;; \
generic) generic || { echo "GSL and a libblas with C's interface not found; BLAS=auto?" >&2; exit 1; } ;; \
*) echo "BLAS is auto, openblas or generic, not '$(BLAS)'" >&2; exit 1 ;; \
esac; \
if try '' '0' -Werror -fopenmp-simd; then simd=-fopenmp-simd; \
    if try '' 'sizeof(char [__clang__])'; then simd="$$simd -Wno-pass-failed"; fi; \
else simd=-Wno-unknown-pragmas; \
    echo "notice: $(CC) does not know '#pragma omp simd'; the tools will be slower"; fi; \
doubles='typedef char doubles[FLT_EVAL_METHOD == 0 ? 1 : -1];'; sse='-msse2 -mfpmath=sse'; \
if try "$$doubles" '0' -include float.h; then float=; \
elif try "$$doubles" '0' -include float.h $$sse; then float=$$sse; \
else float=; echo "notice: $(CC) rounds doubles to more digits at times; models then depend on threads"; fi; \
try '#include <check.h>' 'suite_create("") == 0' $$check_cflags $${check_libs:=-lcheck -lm} || check_libs=; \
echo "found: GSL with $$blas"; \
mpi_cflags=; mpi_libs=; \
for word in $$($(MPICC) -show 2>/dev/null || /usr/lib64/openmpi/bin/mpicc -show 2>/dev/null); do \
    case $$word in \
        -I*) mpi_cflags="$$mpi_cflags -isystem $${word#-I}" ;; \
        -L* | -l* | -Wl,-rpath* | -Wl,/* | -Wl,--enable-new-dtags) mpi_libs="$$mpi_libs $$word" ;; \
    esac; \
done; \
if try '#include <mpi.h>' 'MPI_Init(0, 0)' $$mpi_cflags $$mpi_libs; then echo "found: MPI"; \
else mpi_libs=; echo "notice: no MPI ($(MPICC)); rvm-train-mpi is not built (make deps-mpi)"; fi; \
printf '%s\n' "GSL_CFLAGS := $$gsl_cflags" "GSL_LIBS := $$libs" "SIMD := $$simd" "FLOAT := $$float" \
    "CHECK_CFLAGS := $$check_cflags" "CHECK_LIBS := $$check_libs" \
    "MPI_CFLAGS := $$mpi_cflags" "MPI_LIBS := $$mpi_libs" >$@.new; \
mv $@.new $@
endef

$(CONFIG): Makefile
	@mkdir -p $(@D)
	@$(FIND_LIBRARIES)

# ---- flags -----------------------------------------------------------------------------------------

flavour_release  := -DGSL_RANGE_CHECK_OFF
flavour_asan     := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
flavour_fuzz     := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
flavour_coverage := -O0 --coverage
flavour_werror   := -Werror
flavour_analyze  := -O1 -Werror -fanalyzer -DGSL_RANGE_CHECK_OFF

OWN_CPPFLAGS = -Ilib -DHAVE_INLINE $(GSL_CFLAGS) $(FILE_CPPFLAGS)
# The same objects make tools and shared library, of which only what its header declares is seen.
OWN_CFLAGS   = -std=gnu11 -O2 -g -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
               -ffp-contract=off -fno-math-errno $(FLOAT) -fPIC -fvisibility=hidden -pthread $(SIMD)
COMPILE      = $(CC) $(OWN_CPPFLAGS) $(CPPFLAGS) $(OWN_CFLAGS) $(FILE_CFLAGS) $(flavour_$(FLAVOUR)) \
               $(CFLAGS)
# With -ffast-math in the link line gcc makes the whole program flush denormals to zero.
LINK         = $(CC) $(FLOAT) -pthread $(SIMD) $(flavour_$(FLAVOUR)) \
               $(filter-out -ffast-math -Ofast -funsafe-math-optimizations,$(CFLAGS)) $(LDFLAGS)
LIBS         = $(GSL_LIBS) $(LDLIBS)

# ---- files -----------------------------------------------------------------------------------------

OUT     := build/$(FLAVOUR)
# The release tools stand where a newcomer looks for them, those of other flavours in their folder.
BIN     := $(if $(filter release,$(FLAVOUR)),.,$(OUT))
# What needs MPI is a tool by itself, and a file that the library does without.
EVERY_TOOL := $(basename $(wildcard rvm-*.c))
MPI_TOOLS  := rvm-train-mpi
MPI_SRC    := lib/base/team_mpi.c
TOOLS   := $(if $(MPI_LIBS),$(EVERY_TOOL),$(filter-out $(MPI_TOOLS),$(EVERY_TOOL)))
SCRIPTS := tools/rvm-plot
LIB_SRC := $(filter-out $(MPI_SRC),$(wildcard lib/*/*.c))
SUITES  := $(patsubst tests/test_%.c,%,$(wildcard tests/test_*.c))
CLI_CASES ?=

LIB_OBJ  := $(LIB_SRC:%.c=$(OUT)/%.o)
MPI_OBJ  := $(MPI_SRC:%.c=$(OUT)/%.o)
TOOL_OBJ := $(TOOLS:%=$(OUT)/%.o)
TEST_OBJ := $(SUITES:%=$(OUT)/tests/test_%.o) $(OUT)/tests/run_check.o $(OUT)/tests/team_threads.o \
            $(OUT)/suites.o
EVERY_MAN1 := $(wildcard man/*.1)
MAN1     := $(if $(MPI_LIBS),$(EVERY_MAN1),$(filter-out $(MPI_TOOLS:%=man/%.1),$(EVERY_MAN1)))
MAN3     := $(wildcard man/*.3)
MAN5     := $(wildcard man/*.5)
MAN7     := $(wildcard man/*.7)
FORMATTED = $(wildcard *.c examples/*.c lib/*.h lib/*/*.[ch] tests/*.[ch] tests/cli/*/*.[ch] tests/fuzz/*.[ch] bench/*.[ch])
SHELL_FILES = $(SCRIPTS) tools/completions $(wildcard tests/*.sh tests/cli/*.inc tests/cli/*/*.sh tests/cli/*/*.inc data/*.sh bench/*.sh) $(filter-out debian/tests/control,$(wildcard debian/tests/*))

# Commands are shown in short unless V is set.
say = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)';)

## all: build tools and library (default);  tools;  library: librvm-ml, shared and static, in build/FLAVOUR
.PHONY: all tools library
all: tools library
tools: $(TOOLS:%=$(BIN)/%)

$(BIN)/rvm-%: $(OUT)/rvm-%.o $(OUT)/librvm.a
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(LIBS)

$(MPI_TOOLS:%=$(BIN)/%): $(BIN)/%: $(OUT)/%.o $(MPI_OBJ) $(OUT)/librvm.a
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(MPI_LIBS) $(LIBS)
$(MPI_OBJ): FILE_CPPFLAGS = $(MPI_CFLAGS)

$(OUT)/librvm.a: $(LIB_OBJ) $(OUT)/lib.list
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $(LIB_OBJ)

# What a program links (lib/door/rvm_ml.h).  The name has a -ml, as there is another librvm.  The number
# in SONAME changes when programs must be compiled anew.
ifeq ($(shell uname -s),Darwin)
LINKNAME  := librvm-ml.dylib
SONAME    := librvm-ml.0.dylib
SHARED    := librvm-ml.$(VERSION).dylib
AS_SHARED = -dynamiclib -install_name '$(LIBDIR)/$(SONAME)'
else
LINKNAME  := librvm-ml.so
SONAME    := librvm-ml.so.0
SHARED    := librvm-ml.so.$(VERSION)
AS_SHARED = -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$(OUT)/librvm-ml.map
endif
STATIC      := librvm-ml.a
LIBRARY_OBJ := $(filter $(OUT)/lib/door/%,$(LIB_OBJ))
library: $(OUT)/$(SHARED) $(OUT)/$(STATIC)

# gcc exports functions of which it makes one for each processor, however hidden: the linker is told.
$(OUT)/$(SHARED): $(LIBRARY_OBJ) $(OUT)/librvm.a
	@echo '{ global: rvmml_*; local: *; };' >$(OUT)/librvm-ml.map
	$(call say,LINK,$@)$(LINK) $(AS_SHARED) -o $@ $^ $(LIBS)
	@ln -sf $(SHARED) $(OUT)/$(SONAME) && ln -sf $(SONAME) $(OUT)/$(LINKNAME)

# One object, in which names that are not of the header are local: a program may have the same.
$(OUT)/$(STATIC): $(LIBRARY_OBJ) $(OUT)/librvm.a
	$(call say,AR,$@)$(CC) -nostdlib -r -o $(@:.a=.o) $^
	@! command -v $(OBJCOPY) >/dev/null || $(OBJCOPY) -w -G 'rvmml_*' $(@:.a=.o)
	@rm -f $@ && $(AR) rcs $@ $(@:.a=.o)

$(OUT)/%.o: %.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) -MMD -MP -c -o $@ $<

# exp and its kin over arrays.  gcc calls glibc's vector functions only with all of -ffast-math,
# -ffinite-math-only included, so isfinite() means nothing in this one file: callers check.
$(OUT)/lib/base/vecmath.o: FILE_CFLAGS = -O3 -ffast-math -ffp-contract=fast

# Rewritten only when the flags differ from those of the last build; every object depends on it.  It
# would inherit the flags of the one file for which make happens to want it first.
$(OUT)/flags: FILE_CFLAGS :=
$(OUT)/flags: FILE_CPPFLAGS :=
$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(call quote,$(COMPILE) $(LINK) $(LIBS) $(MPI_CFLAGS) $(MPI_LIBS)) | cmp -s - $@ || \
	    printf '%s\n' $(call quote,$(COMPILE) $(LINK) $(LIBS) $(MPI_CFLAGS) $(MPI_LIBS)) >$@
# Likewise for the lists of files, so that one that was taken away is noticed.
$(OUT)/lib.list: LIST = $(LIB_SRC)
$(OUT)/suites.list: LIST = $(SUITES)
$(OUT)/%.list: FORCE
	@mkdir -p $(@D)
	@echo '$(LIST)' | cmp -s - $@ || echo '$(LIST)' >$@
.PHONY: FORCE
FORCE:

-include $(LIB_OBJ:.o=.d) $(MPI_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(TEST_OBJ:.o=.d) $(wildcard $(OUT)/tests/fuzz/*.d)
.SECONDARY: $(TOOL_OBJ) $(MPI_OBJ)

# ---- tests -----------------------------------------------------------------------------------------

## test, check: unit tests and command-line tests; the last line counts them
.PHONY: test check unit
test check: all unit $(OUT)/bench/friedman
	@FLAVOUR='$(FLAVOUR)' sh tests/run.sh '$(OUT)/run_check' '$(BIN)' $(CLI_CASES)

unit: $(OUT)/run_check

## test-python: tests of python/rvm_ml.py alone, by a python3 that has numpy
.PHONY: test-python
test-python: all
	@BIN='$(BIN)' SRC='$(CURDIR)' FLAVOUR='$(FLAVOUR)' sh tests/cli/library/python.sh || [ $$? = 77 ]

$(OUT)/run_check: $(TEST_OBJ) $(OUT)/librvm.a
	$(if $(CHECK_LIBS),,@echo "the unit tests need the library check; try: make deps" >&2; exit 1)
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(CHECK_LIBS) $(LIBS)

$(TEST_OBJ): FILE_CPPFLAGS = -Itests $(CHECK_CFLAGS)

# The list of suites is the list of files tests/test_NAME.c, each of which defines NAME_suite, so
# that a suite cannot be forgotten.
$(OUT)/suites.c: $(SUITES:%=tests/test_%.c) $(OUT)/suites.list
	@{ echo '#include "suites.h"'; \
	  for s in $(SUITES); do echo "Suite *$${s}_suite(void);"; done; \
	  echo 'suite_maker *const suites[] = {'; \
	  for s in $(SUITES); do echo "    $${s}_suite,"; done; \
	  echo '    NULL};'; } >$@
$(OUT)/suites.o: $(OUT)/suites.c
	@$(COMPILE) -MMD -MP -c -o $@ $<

## asan: the same tests under the address and undefined-behaviour sanitizers
.PHONY: asan
asan:
	@CK_FORK=no $(MAKE) --no-print-directory FLAVOUR=asan test

## interrupts: a hundred interrupts at random moments instead of the ten in `make test`
.PHONY: interrupts
interrupts: all
	@RVM_INTERRUPTS=100 sh tests/run-cli.sh '$(BIN)' tests/cli/faults/interrupts.sh

## valgrind: quick unit tests and some command-line tests under valgrind; two minutes or so
.PHONY: valgrind
VALGRIND := valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
            --show-leak-kinds=definite
# What trains, fills or factors large matrices, reads long files or draws millions of numbers takes half an hour
# here, and is left to `make asan`.
VALGRIND_SUITES ?= $(filter-out checkpoint linalg tune widths baselines crossval train train_% labels problem_read text predict \
                       kernel basis columns candidates gram_search working_set multi climber outputs search truncated gibbs standard \
                       interrupt relevance process_finish proposals race calibration folds together shared inducing joint_mode points_mode spans c_code door door_model,\
                       $(SUITES))
VALGRIND_CASES ?= $(wildcard tests/cli/*/round_trip*.sh)
valgrind: all unit
	@mkdir -p $(OUT)/valgrind
	@for t in $(TOOLS); do \
	    printf '#!/bin/sh\nexec %s "%s" "$$@"\n' '$(VALGRIND)' "$(CURDIR)/$(BIN)/$$t" >$(OUT)/valgrind/$$t; \
	    chmod +x $(OUT)/valgrind/$$t; \
	done
	@for s in $(VALGRIND_SUITES); do \
	    CK_RUN_SUITE=$$s CK_FORK=no $(VALGRIND) $(OUT)/run_check >$(OUT)/valgrind/log 2>&1 || \
	        { cat $(OUT)/valgrind/log; exit 1; }; \
	    echo "$$s: $$(tail -n 1 $(OUT)/valgrind/log)"; \
	done
	@sh tests/run-cli.sh $(OUT)/valgrind $(VALGRIND_CASES)

## coverage: line coverage of the tests, file by file
.PHONY: coverage coverage-report
coverage:
	@rm -rf build/coverage
	@$(MAKE) --no-print-directory FLAVOUR=coverage test
	@$(MAKE) --no-print-directory FLAVOUR=coverage coverage-report
coverage-report:
	@gcov -n $(LIB_OBJ) $(TOOL_OBJ) 2>/dev/null | awk -F"[':% ]+" \
	    '/^File/ { file = $$2 } /^Lines/ && file ~ /^(lib\/|rvm-).*c$$/ { \
	        printf "%6.1f %% of %4d lines  %s\n", $$3, $$5, file | "sort -k6"; \
	        hit += $$3 * $$5 / 100; lines += $$5; file = "" } \
	     END { close("sort -k6"); \
	        if (lines) printf "%6.1f %% of %4d lines  all\n", 100 * hit / lines, lines }'

## bench: times beside svm-train and others, in bench/RESULTS; see bench/run.sh for BENCH_DATA and more
.PHONY: bench
bench: all $(OUT)/bench/friedman
	@sh bench/run.sh '$(BIN)' '$(OUT)/bench' bench/RESULTS
$(OUT)/bench/friedman: $(OUT)/bench/friedman.o
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(LIBS)

## bench-methods: --method auto beside the algorithms of the papers, in bench/METHODS
.PHONY: bench-methods
bench-methods: all $(OUT)/bench/friedman
	@sh bench/methods.sh '$(BIN)' '$(OUT)/bench' data bench/METHODS

## bench-auto: --auto beside svm-train and its grid search, in bench/AUTO; needs BENCH_DATA
.PHONY: bench-auto
bench-auto: all $(OUT)/bench/friedman
	@sh bench/auto.sh '$(BIN)' '$(OUT)/bench' '$(BENCH_DATA)' bench/AUTO

## bench-widths: criteria for the width of the kernel and -g auto, in bench/WIDTHS; needs BENCH_DATA
.PHONY: bench-widths
bench-widths: all $(OUT)/bench/widths $(OUT)/bench/friedman
	@sh bench/widths.sh '$(BIN)' '$(OUT)/bench' '$(BENCH_DATA)' bench/WIDTHS
$(OUT)/bench/widths: $(OUT)/bench/widths.o $(OUT)/librvm.a
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(LIBS)

## bench-margin: errors, vectors and intervals by --prune-margin, in bench/MARGIN; needs BENCH_DATA
.PHONY: bench-margin
bench-margin: all
	@sh bench/margin.sh '$(BIN)' '$(BENCH_DATA)' bench/MARGIN

## bench-tuned: -g auto beside svm-train and its grid search, in bench/TUNED; needs BENCH_DATA
.PHONY: bench-tuned
bench-tuned: all
	@sh bench/tuned.sh '$(BIN)' '$(BENCH_DATA)' bench/TUNED

## bench-sampling: draws from the posterior beside the default, in bench/SAMPLING; needs BENCH_DATA
.PHONY: bench-sampling
bench-sampling: all
	@sh bench/sampling.sh '$(BIN)' '$(BENCH_DATA)' bench/SAMPLING

## bench-prior: --prior kernel beside the flat prior and peers, in bench/PRIOR; needs BENCH_DATA
.PHONY: bench-prior
bench-prior: all
	@sh bench/prior.sh '$(BIN)' '$(BENCH_DATA)' bench/PRIOR

## bench-predict: predictions a second beside svm-predict; needs BENCH_DATA
.PHONY: bench-predict
bench-predict: all
	@sh bench/predict.sh '$(BIN)' '$(BENCH_DATA)'

## bench-calibration: probabilities and intervals by -b 1, in bench/CALIBRATION; needs BENCH_DATA
.PHONY: bench-calibration
bench-calibration: all
	@sh bench/calibration.sh '$(BIN)' '$(BENCH_DATA)' bench/CALIBRATION

## reproduce: the experiments of the papers beside svm-train, in bench/REPRODUCE; BENCH_DATA adds usps
.PHONY: reproduce
reproduce: all $(OUT)/bench/friedman
	@sh bench/reproduce.sh '$(BIN)' '$(OUT)/bench' data '$(BENCH_DATA)' bench/REPRODUCE

## bench-read: megabytes a second of reading data
.PHONY: bench-read
bench-read: $(OUT)/bench/read
	@$(OUT)/bench/read
$(OUT)/bench/read: $(OUT)/bench/read.o $(OUT)/librvm.a
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(LIBS)

## bench-kernel: kernel values per second beside what BLAS and exp alone would allow
.PHONY: bench-kernel
bench-kernel: $(OUT)/bench/kernel
	@OPENBLAS_NUM_THREADS=1 $(OUT)/bench/kernel
$(OUT)/bench/kernel: $(OUT)/bench/kernel.o $(OUT)/librvm.a
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(LIBS)
$(OUT)/bench/kernel.o: FILE_CFLAGS = -O3 -ffast-math
.SECONDARY: $(OUT)/bench/kernel.o

## bench-mpi: what training on several processes costs, and would cost on many, in bench/MPI
.PHONY: bench-mpi
bench-mpi: all $(OUT)/bench/mpi
	@sh bench/mpi.sh '$(BIN)' '$(OUT)/bench' bench/MPI
$(OUT)/bench/mpi: $(OUT)/bench/mpi.o $(OUT)/tests/team_threads.o $(OUT)/librvm.a
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(LIBS)

## bench-gibbs: the time of a draw of --method gibbs beside that of LAPACK's Cholesky factor
.PHONY: bench-gibbs
bench-gibbs: $(OUT)/bench/gibbs
	@OPENBLAS_NUM_THREADS=1 $(OUT)/bench/gibbs
$(OUT)/bench/gibbs: $(OUT)/bench/gibbs.o $(OUT)/librvm.a
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(LIBS)

## fuzz: libFuzzer on readers, training, prediction and scaling, FUZZ_SECONDS (30) each; without clang their seeds alone
.PHONY: fuzz fuzz-run fuzz-seeds
FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
# Targets that take a file of another one for a beginning have its seeds too.
seeds         = $(wildcard $(addprefix tests/fuzz/corpus/,$(1) $(more_$(1))))
more_predict := model
more_scale   := range
fuzz:
	@if command -v $(CLANG) >/dev/null; then $(MAKE) --no-print-directory FLAVOUR=fuzz CC=$(CLANG) fuzz-run; else \
	    echo "fuzz: no clang here, the seeds alone"; $(MAKE) --no-print-directory fuzz-seeds; fi
fuzz-run: $(FUZZERS:%=fuzz-run-%)
fuzz-run-%: $(OUT)/fuzz_%
	@echo "fuzz: $*, $(FUZZ_SECONDS) s"; mkdir -p $(OUT)/new/$*
	@OPENBLAS_NUM_THREADS=1 $< -max_total_time=$(FUZZ_SECONDS) -timeout=20 -verbosity=0 -print_final_stats=1 \
	    -artifact_prefix=$(OUT)/crash-$*- $(OUT)/new/$* $(call seeds,$*) \
	    2>$(OUT)/$*.log || { cat $(OUT)/$*.log; exit 1; }
	@sed -n 's/^stat::number_of_executed_units: */fuzz: no fault in runs: /p' $(OUT)/$*.log
$(OUT)/fuzz_%: $(OUT)/tests/fuzz/fuzz_%.o $(OUT)/librvm.a
	$(call say,LINK,$@)$(LINK) -fsanitize=fuzzer -o $@ $^ $(LIBS)
fuzz-seeds: $(FUZZERS:%=fuzz-seeds-%)
fuzz-seeds-%: $(OUT)/replay_%
	@$< $(wildcard $(addsuffix /*,$(call seeds,$*))) >$(OUT)/$*.log || { tail -n 1 $(OUT)/$*.log; exit 1; }
	@echo "fuzz: $*, no fault in $$(wc -l <$(OUT)/$*.log) seeds"
$(OUT)/replay_%: $(OUT)/tests/fuzz/fuzz_%.o $(OUT)/tests/fuzz/replay.o $(OUT)/librvm.a
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(LIBS)
.SECONDARY: $(FUZZERS:%=$(OUT)/tests/fuzz/fuzz_%.o) $(FUZZERS:%=$(OUT)/replay_%) $(OUT)/tests/fuzz/replay.o

# ---- the source ------------------------------------------------------------------------------------

## lint: formatting, include directions, compiler warnings as errors, cppcheck, shellcheck
.PHONY: lint
lint:
	@clang-format --dry-run -Werror $(FORMATTED)
	@$(MAKE) --no-print-directory FLAVOUR=werror all unit
	@sh tests/layers.sh lib '$(CURDIR)/build/werror/lib'
	@cppcheck --quiet --std=c11 --inline-suppr --error-exitcode=1 -Ilib \
	    --enable=warning,performance,portability --suppress=missingIncludeSystem \
	    $(wildcard rvm-*.c) lib
	@if command -v shellcheck >/dev/null; then \
	    shellcheck .ci/run && shellcheck -s sh -S warning $(SHELL_FILES); \
	 else echo "lint: no shellcheck here, sh files not looked at"; fi
	@echo "lint: clean"

## analyze: static analysis: gcc's analyser, and clang's where there is one; a minute or two
.PHONY: analyze
ANALYZED := $(LIB_SRC) $(if $(MPI_LIBS),$(MPI_SRC)) $(TOOLS:%=%.c)
analyze:
	@$(MAKE) -s --no-print-directory FLAVOUR=analyze SIMD="-Wno-unknown-pragmas -Wno-unused" $(ANALYZED:%.c=build/analyze/%.o)
	@if ! command -v $(CLANG) >/dev/null; then echo "analyze: no clang here, gcc's analyser alone"; else \
	    for f in $(ANALYZED); do \
	        $(CLANG) --analyze --analyzer-output text -Xclang -analyzer-werror -std=gnu11 \
	            -DGSL_RANGE_CHECK_OFF -Wno-unknown-pragmas $(OWN_CPPFLAGS) $(MPI_CFLAGS) $$f || exit 1; \
	    done; fi
	@echo "analyze: clean"

## format: rewrite the C files as `make lint` wants them
.PHONY: format
format:
	clang-format -i $(FORMATTED)

## man: check the manual pages and render them as text in build/man
.PHONY: man
man:
	@command -v groff >/dev/null || { echo "man: needs groff" >&2; exit 1; }
	@mkdir -p build/man
	@for page in $(EVERY_MAN1) $(MAN3) $(MAN5) $(MAN7); do text=build/man/$${page#man/}.txt; \
	    warnings=$$(groff -man -Tutf8 -ww -rLL=80n -P-cbou "$$page" 2>&1 >"$$text"); \
	    if [ -n "$$warnings" ]; then echo "$$warnings" >&2; exit 1; fi; echo "$$text"; done

# ---- products --------------------------------------------------------------------------------------

# What shells know of the tools, NAME for bash and _NAME for zsh: by their --help, which is their table
# of options. Not of what stands behind mpirun, where shells complete the options of that.
COMPLETED   := $(filter-out $(MPI_TOOLS),$(EVERY_TOOL)) $(notdir $(SCRIPTS))
COMPLETIONS := $(OUT)/completions
$(COMPLETIONS): tools/completions $(TOOLS:%=$(BIN)/%) $(SCRIPTS)
	@rm -rf $@ $@.new && mkdir -p $@.new
	@for program in $(filter-out $(MPI_TOOLS:%=$(BIN)/%),$(TOOLS:%=$(BIN)/%)) $(SCRIPTS); do name=$${program##*/}; \
	    sh tools/completions bash "$$program" >"$@.new/$$name" && \
	    sh tools/completions zsh "$$program" >"$@.new/_$$name" || exit 1; done
	@mv $@.new $@

## install, uninstall: tools, library, manual pages, shell completions, Python; PREFIX, DESTDIR, and folders above
# Folders that install makes are remembered in MADE_FOLDERS, so that uninstall takes away those of
# them that are empty then, and no others.
.PHONY: install uninstall
MADE_FOLDERS ?= build/folders
PKGCONFIGDIR = $(LIBDIR)/pkgconfig
HEADERDIR    = $(INCLUDEDIR)/rvm-ml
FOLDERS = '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBDIR)' '$(DESTDIR)$(PKGCONFIGDIR)' '$(DESTDIR)$(HEADERDIR)' \
          '$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(MANDIR)/man3' '$(DESTDIR)$(MANDIR)/man5' \
          '$(DESTDIR)$(MANDIR)/man7' '$(DESTDIR)$(BASHDIR)' '$(DESTDIR)$(ZSHDIR)' '$(DESTDIR)$(PYTHONDIR)'
# These folders, and those that they are in, one a line, the innermost first.
list_folders = for d in $(FOLDERS); do \
        while [ "$$d" != / ] && [ "$$d" != . ]; do printf '%s\n' "$$d"; d=$$(dirname "$$d"); done; \
    done | LC_ALL=C sort -ru
# GSL and BLAS are for static linking alone; no header of theirs is needed.
define PKG_CONFIG_FILE
printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' 'Name: rvm-ml' \
    'Description: Relevance vector machines: training and prediction' 'Version: $(VERSION)' \
    'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lrvm-ml' 'Libs.private: $(LIBS) -pthread'
endef
install: all $(COMPLETIONS)
	@mkdir -p '$(dir $(MADE_FOLDERS))'
	@$(list_folders) | while IFS= read -r d; do [ -d "$$d" ] || printf '%s\n' "$$d"; done >>'$(MADE_FOLDERS)'
	install -d $(FOLDERS)
	install -m 755 $(TOOLS:%=$(BIN)/%) $(SCRIPTS) '$(DESTDIR)$(BINDIR)'
	install -m 644 $(OUT)/$(SHARED) $(OUT)/$(STATIC) '$(DESTDIR)$(LIBDIR)'
	ln -sf $(SHARED) '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/$(LINKNAME)'
	install -m 644 lib/door/rvm_ml.h '$(DESTDIR)$(HEADERDIR)'
	@$(PKG_CONFIG_FILE) >'$(DESTDIR)$(PKGCONFIGDIR)/rvm-ml.pc'
	install -m 644 $(MAN1) '$(DESTDIR)$(MANDIR)/man1'
	install -m 644 $(MAN3) '$(DESTDIR)$(MANDIR)/man3'
	install -m 644 $(MAN5) '$(DESTDIR)$(MANDIR)/man5'
	install -m 644 $(MAN7) '$(DESTDIR)$(MANDIR)/man7'
	install -m 644 $(COMPLETED:%=$(COMPLETIONS)/%) '$(DESTDIR)$(BASHDIR)'
	install -m 644 $(COMPLETED:%=$(COMPLETIONS)/_%) '$(DESTDIR)$(ZSHDIR)'
	install -m 644 python/rvm_ml.py '$(DESTDIR)$(PYTHONDIR)'
remove = if cd '$(DESTDIR)$(1)' 2>/dev/null; then rm -f $(notdir $(2)); fi
uninstall:
	$(call remove,$(BINDIR),$(EVERY_TOOL) $(SCRIPTS))
	$(call remove,$(LIBDIR),$(SHARED) $(SONAME) $(LINKNAME) $(STATIC))
	$(call remove,$(HEADERDIR),rvm_ml.h)
	$(call remove,$(PKGCONFIGDIR),rvm-ml.pc)
	$(call remove,$(MANDIR)/man1,$(EVERY_MAN1))
	$(call remove,$(MANDIR)/man3,$(MAN3))
	$(call remove,$(MANDIR)/man5,$(MAN5))
	$(call remove,$(MANDIR)/man7,$(MAN7))
	$(call remove,$(BASHDIR),$(COMPLETED))
	$(call remove,$(ZSHDIR),$(COMPLETED:%=_%))
	$(call remove,$(PYTHONDIR),rvm_ml.py)
	@[ ! -f '$(MADE_FOLDERS)' ] || $(list_folders) | while IFS= read -r d; do \
	    if grep -qxF -e "$$d" '$(MADE_FOLDERS)' && rmdir "$$d" 2>/dev/null; then \
	        grep -vxF -e "$$d" '$(MADE_FOLDERS)' >'$(MADE_FOLDERS).new'; \
	        mv '$(MADE_FOLDERS).new' '$(MADE_FOLDERS)'; fi; done

## dist: reproducible archive of the last commit, build/rvm-tools-VERSION.tar.gz
# The same bytes whatever user, clock and folder; owners, modes and times are git's, of the commit.
.PHONY: dist
DIST_NAME := rvm-tools-$(VERSION)
DIST      ?= build/$(DIST_NAME).tar.gz
dist:
	@mkdir -p '$(dir $(DIST))'
	git -c tar.umask=0022 archive --format=tar --prefix=$(DIST_NAME)/ HEAD >'$(DIST).tar'
	gzip -9n <'$(DIST).tar' >'$(DIST)'
	@rm -f '$(DIST).tar'

## demo: train and predict on shipped data and show the result
.PHONY: demo
demo: all
	@mkdir -p build/demo
	./rvm-train -q -b 1 -g 4 data/ripley.train build/demo/ripley.model
	@sed '/^RV/q' build/demo/ripley.model | grep -E '^(kernel_type|total_rv|log_evidence) '
	./rvm-predict -b 1 data/ripley.test build/demo/ripley.model build/demo/ripley.out
	head -n 4 build/demo/ripley.out

## clean: remove what was built;  distclean: and the configuration that was found
.PHONY: clean distclean
clean:
	rm -rf $(filter-out $(wildcard build/config-*.mk) build/folders,$(wildcard build/*)) $(EVERY_TOOL)
distclean:
	rm -rf build $(EVERY_TOOL)

## deps: install what is missing of compiler, libraries and checkers;  deps-mpi: an MPI
## help: this list
.PHONY: help
help:
	@sed -n 's/^## //p' Makefile

endif
