#!/bin/sh
# Includes and calls point downward only: layers.sh FOLDER OBJECTS
#
# The folders of FOLDER are levels, lowest first as listed below, but that the last two stand side by
# side.  A file may include files of its own folder or a lower one, and call what they define; no
# modules (a module is a NAME.c with its NAME.h) may include one another in a circle, nor call one
# another in one.  rvm.h may be included anywhere.  OBJECTS is the folder of the object files, FOLDER/NAME.o.
# Prints one line for each fault.

set -u
LEVELS='base data basis inference search product cli door'
cd "$1" || exit 1
objects=$2

for level in $LEVELS; do
    for file in "$level"/*.h "$level"/*.c; do
        sed -n "s|^[ \t]*#[ \t]*include[ \t]*\"\(.*\)\".*|include $file \1|p" "$file"
    done
    for file in "$level"/*.c; do
        # What needs MPI is built where there is one.
        [ "$file" != base/team_mpi.c ] || [ -e "$objects/${file%.c}.o" ] || continue
        nm "$objects/${file%.c}.o" | sed -n \
            -e "s|^[^ ]* [BDRT] \(.*\)|defines $file \1|p" -e "s|^ *U \(.*\)|wants $file \1|p"
    done
done | awk -v levels="$LEVELS" '
    BEGIN {
        n = split(levels, name, " ")
        for (i = 1; i <= n; i++)
            height[name[i]] = i
        height[name[n]] = height[name[n - 1]]
    }
    function module(file) { sub(/\.[ch]$/, "", file); return file }
    function folder(file) { sub(/\/.*/, "", file); return file }
    function fault(text) { print text; faults++ }

    function check(from, to, verb) {
        if (!(folder(to) in height))
            fault(from ": " verb " " to ", which is in none of the folders")
        else if (height[folder(to)] > height[folder(from)])
            fault(from ": " verb " " to ", which is above it")
        else if (height[folder(to)] == height[folder(from)] && folder(to) != folder(from))
            fault(from ": " verb " " to ", which is beside it")
        else if (module(from) != module(to))
            edge[verb, module(from)] = edge[verb, module(from)] " " module(to)
    }

    $1 == "include" && $3 != "rvm.h" { check($2, $3, "includes") }
    $1 == "defines" { home[$3] = $2; defined++ }
    $1 == "wants" { wants[++w] = $2 " " $3 }

    # Walks all that m includes or calls; `trail` shows the circle when there is one.
    function walk(verb, m, trail,    i, k, to) {
        if (state[verb, m] == "done")
            return
        if (state[verb, m] == "open") {
            fault("circle: what " verb " what, " substr(trail, index(" " trail " ", " " m " ")))
            return
        }
        state[verb, m] = "open"
        k = split(edge[verb, m], to, " ")
        for (i = 1; i <= k; i++)
            walk(verb, to[i], trail " " to[i])
        state[verb, m] = "done"
    }

    END {
        for (i = 1; i <= w; i++) {
            split(wants[i], part, " ")
            if (part[2] in home)
                check(part[1], home[part[2]], "calls")
        }
        for (i in edge) {
            split(i, part, SUBSEP)
            walk(part[1], part[2], part[2])
        }
        if (defined < 100)
            fault("no object files in the folder of objects")
        exit faults > 0
    }
'
