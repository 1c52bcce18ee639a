#!/bin/sh
# What training on several processes costs, and would cost on many.
#
#     make bench-mpi     ten minutes or so
#
# which calls   sh bench/mpi.sh BIN HELPERS RESULTS
#     BIN      folder of the rvm-* tools
#     HELPERS  folder with the program mpi, made from mpi.c
#     RESULTS  the file that gets the tables, once they are complete, as Markdown text
#
# Environment:
#     BENCH_ROWS   rows of Friedman 1 to measure with (100000), 20000 or more

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/frame.sh"
. "$here/machine.sh"

[ $# = 3 ] || usage 6,9
bin=$(cd "$1" && pwd) || exit 1
helpers=$(cd "$2" && pwd) || exit 1
results=$3
rows=${BENCH_ROWS:-100000}

tmp=$(mktemp -d) || exit 1
trap_ends

emit <<END
# Processes that share the rows

Friedman 1 is trained on by teams of 1, 2 and 4 threads, each with a share of the rows, which send each
other what the processes of rvm-train-mpi would; bench/mpi.c says what is counted.  A round and process
take a N / P + b seconds, N rows shared by P: a for each row, b for what each process does by itself.
Seconds are those of the processor, so that other programs do little harm.

The last table is the cost model: what rounds of more rows on more processes would take, one core each,
with as many functions.  Computing has the stages of fewer rows in it.  Talking is the longest way of
the messages: sums over rows up a tree and down again, rows to all, and the latency of each call
(30 microseconds at 10 GbE, 10 at 100).  Rows come in at most 256 spans, so that of more processes than
that the others have none.

    command     make bench-mpi BENCH_ROWS=$rows
$(describe_machine)
$(describe_program "$bin")

END
OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 "$helpers/mpi" "$rows" >"$tmp/tables" ||
    fail "mpi fails on $rows rows"
emit <"$tmp/tables"
mv "$tmp/results" "$results"
