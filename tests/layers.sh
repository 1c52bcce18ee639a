#!/bin/sh
# Includes point downward only: layers.sh FOLDER
#
# The first line of each *.c and *.h in FOLDER opens with `/* Level N` and says what the file is
# for; `/* Beside the library` opens what only the tools use, which is above all levels.  A file may include files of its own level or a lower one, and no modules (a module is a
# NAME.c with its NAME.h) may include one another in a circle.  rvm.h, the public interface, is
# level 0.  Prints one line for each fault.

set -u
cd "$1" || exit 1

awk '
    function module(file) { sub(/\.[ch]$/, "", file); return file }

    FNR == 1 {
        level[FILENAME] = -1
        if (match($0, /^\/\* Level [0-9]+[:,]/))
            level[FILENAME] = substr($0, 10, RLENGTH - 10) + 0
        else if (/^\/\* Beside the library[:,]/)
            level[FILENAME] = 99
        else
            fault(FILENAME ":1: does not open with `/* Level N: what it is for`")
    }

    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, part, "\"")
        n++
        from[n] = FILENAME; to[n] = part[2]; line[n] = FNR
    }

    # Walks all includes that start at m; the path in `trail` shows the circle when there is one.
    function walk(m, trail,    i) {
        if (state[m] == "open") {
            fault("circle: " substr(trail, index(" " trail " ", " " m " ")))
            return
        }
        if (state[m] == "done")
            return
        state[m] = "open"
        for (i = 1; i <= n; i++)
            if (module(from[i]) == m && module(to[i]) != m)
                walk(module(to[i]), trail " " module(to[i]))
        state[m] = "done"
    }

    function fault(text) { print text; faults++ }

    END {
        for (i = 1; i <= n; i++) {
            if (!(to[i] in level))
                fault(from[i] ":" line[i] ": includes " to[i] ", which is not in this folder")
            else if (level[to[i]] > level[from[i]])
                fault(from[i] ":" line[i] ": level " level[from[i]] " includes " to[i] \
                      " of level " level[to[i]])
        }
        for (i = 1; i <= n; i++)
            walk(module(from[i]), module(from[i]))
        exit faults > 0
    }
' *.h *.c
