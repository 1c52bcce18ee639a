# -m is kept: the peak of resident memory of rvm-train stays below -m megabytes, plus the program
# itself (what it takes to train on ten rows), plus what belongs to the rows and -m does not count:
# five times the file, for two copies of the rows as numbers and one laid out for the kernel. The
# target is so rough that functions fill whatever room there is; all columns would be 1150 MB.
set -eu

fail() { echo "$*" >&2; exit 1; }

case $FLAVOUR in asan | coverage | fuzz) echo "no plain memory with $FLAVOUR"; exit 77 ;; esac
time=/usr/bin/time
$time -f %M true 2>/dev/null >&2 || { echo "no GNU time here"; exit 77; }

rows() { # N CLASSES
    awk -v N="$1" -v classes="$2" '
        function uniform() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
        BEGIN {
            seed = 5
            for (i = 0; i < N; i++) {
                x = 20 * uniform()
                z = 20 * uniform()
                t = sin(3 * x) * cos(2 * z) + sin(x * z / 6)
                if (classes) t = uniform() < 1 / (1 + exp(-4 * t)) ? 1 : -1
                else t += 0.4 * (uniform() - 0.5)
                printf "%.5g 1:%.5f 2:%.5f\n", t, x, z
            }
        }'
}

peak() { # TASK ROWS MB: in kilobytes
    $time -o peak -f %M "$BIN/rvm-train" -q -g 3 --threads 1 -s "$1" -m "$3" "$2" model 2>err ||
        fail "training fails: $(cat err)"
    tail -n 1 peak
}

rows 12000 0 >regression
rows 12000 1 >classes
head -n 10 regression >few
itself=$(peak 3 few 64)

check() { # TASK ROWS MB
    most=$(($3 * 1024 + itself + 5 * $(wc -c <"$2") / 1024))
    took=$(peak "$1" "$2" "$3")
    [ "$took" -le "$most" ] || fail "-s $1 -m $3 takes $took KB; allowed $most"
}

# And it says that there was no room for all that would have gained.
check 0 classes 16
grep -qx 'converged 0' model || fail "-s 0 -m 16 counts as converged"
check 3 regression 16
grep -qx 'converged 0' model || fail "-s 3 -m 16 counts as converged"
little=$took
check 3 regression 64
[ "$took" -gt "$little" ] || fail "-m 64 takes $took KB, -m 16 $little: this test shows nothing"
