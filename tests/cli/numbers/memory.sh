# -m is kept: the peak of resident memory of rvm-train stays below -m megabytes, plus the program
# itself (what it takes to train on ten rows), plus what belongs to the rows and -m does not count:
# five times the file, for two copies of the rows as numbers and one laid out for the kernel. The
# target is so rough that functions fill whatever room there is; all columns would be 390 MB.
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

rows 7000 0 >regression
rows 7000 1 >classes
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

# Several outputs with columns so alike that posteriors are factored by QR, which takes memory of its
# own.
awk 'function uniform() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
    BEGIN {
        seed = 5
        for (i = 0; i < 4000; i++) {
            x = 20 * uniform()
            z = 20 * uniform()
            t = sin(x / 3) * cos(z / 4)
            printf "%.5g,%.5g 1:%.5f 2:%.5f\n", t + 0.0001 * (uniform() - 0.5),
                t * z + 0.001 * (uniform() - 0.5), x, z
        }
    }' >outputs
most=$((8 * 1024 + itself + 5 * $(wc -c <outputs) / 1024))
$time -o peak -f %M "$BIN/rvm-train" -q -g 0.003 --threads 1 --restarts 1 -s 3 -m 8 outputs model 2>err ||
    fail "training of two outputs fails: $(cat err)"
took=$(tail -n 1 peak)
[ "$took" -le "$most" ] || fail "two outputs take $took KB with -m 8; allowed $most"

# What the manual says of data that are wide: 32 bytes a pair, 80 a feature.
awk 'BEGIN {
    for (i = 0; i < 2; i++) {
        printf "%d", 2 * i - 1
        for (j = 1; j <= 100000; j++) printf " %d:%d", j, 1 + (i + j) % 3
        print ""
    } }' >wide
most=$((itself + 1024 + (32 * 200000 + 80 * 100000) / 1024))
$time -o peak -f %M "$BIN/rvm-train" -q wide model 2>err || fail "wide rows fail: $(cat err)"
took=$(tail -n 1 peak)
[ "$took" -le "$most" ] || fail "two wide rows take $took KB; allowed $most"
