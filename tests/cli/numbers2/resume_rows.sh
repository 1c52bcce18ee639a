# --resume of searches that do not keep all columns: from between two numbers of rows, from between
# rounds, from between passes over the classes. The same bytes as without a stop, and, where -m is
# scarce, too.
set -u
. "$SRC/tests/cli/train/resume.inc"

# Of f of two features, with noise, -s 3; its sign; which quarter of the circle a noisy point is in.
rows() { # COUNT TASK
    awk -v n="$1" -v task="$2" 'BEGIN { srand(7)
        for (i = 0; i < n; i++) {
            x = 4 * rand() - 2; z = 4 * rand() - 2; noise = rand() + rand() + rand() - 1.5
            f = sin(2 * x) + z * z / 2 - x * z / 3 - .6 + .6 * noise
            class = 1 + (x + noise > 0) + 2 * (z - noise > 0)
            printf "%s 1:%.5f 2:%.5f\n", task == 3 ? f : task == 2 ? (f > 0 ? 1 : -1) : class, x, z
        } }'
}

rows 21000 3 >surface
resume_some -s 3 -g 0.5 surface
resume_some -s 3 -g 0.5 -m 16 surface
rows 21000 2 >sides
resume_some -g 0.5 -e 1 sides
rows 2700 1 >quarters
resume_some -g 0.5 -e 1 quarters
head -3000 surface >part
resume_some -s 3 -g 0.5 --restarts 3 part
