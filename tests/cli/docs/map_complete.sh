# lib/README names every file of lib/, at the level that the file's first line gives.
set -eu

cd "$SRC/lib"
awk '
    FILENAME == "README" && /^Level [0-9]/ { at = $2 + 0 }
    FILENAME == "README" && /^Beside/ { at = "beside" }
    FILENAME == "README" && /^  [a-z_]+\.[ch] / {
        map[$1] = at
        if ($1 ~ /\.c$/ && $2 == "h")
            map[substr($1, 1, length($1) - 1) "h"] = at
    }
    FILENAME == "README" && /^  [a-z_]+\.[ch]$/ { map[$1] = at }
    FILENAME != "README" && FNR == 1 && FILENAME != "rvm.h" {
        files++
        level = $2 == "Level" ? $3 + 0 : "beside"
        if (!(FILENAME in map))
            fault(FILENAME " is not in the map")
        else if (map[FILENAME] != level)
            fault(FILENAME " is at level " level ", in the map at " map[FILENAME])
        seen[FILENAME] = 1
    }
    function fault(text) { print text; bad = 1 }
    END {
        for (file in map)
            if (!(file in seen))
                fault(file " is in the map only")
        exit bad || files < 10
    }
' README *.c *.h
