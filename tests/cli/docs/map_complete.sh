# lib/README names every file of lib/, under the folder that it is in.
set -eu

cd "$SRC/lib"
awk '
    FILENAME == "README" && /^[a-z]+\/, / { folder = $1; sub(/,$/, "", folder) }
    FILENAME == "README" && /^Notation/ { folder = "" }
    FILENAME == "README" && folder != "" && /^  [a-z_]+\.[ch] / {
        map[folder $1] = 1
        if ($1 ~ /\.c$/ && $2 == "h")
            map[folder substr($1, 1, length($1) - 1) "h"] = 1
    }
    FILENAME != "README" && FNR == 1 {
        files++
        if (!(FILENAME in map))
            fault(FILENAME " is not in the map")
        if ($0 !~ /^\/\* [A-Z0-9]/)
            fault(FILENAME " does not say in its first line what it is for")
        seen[FILENAME] = 1
    }
    function fault(text) { print text; bad = 1 }
    END {
        for (file in map)
            if (!(file in seen))
                fault(file " is in the map only")
        exit bad || files < 10
    }
' README */*.c */*.h
