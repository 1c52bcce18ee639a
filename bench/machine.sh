# Where a table was made, for the scripts beside, which read this with `.`.

processor() {
    sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1 | grep . ||
        sysctl -n machdep.cpu.brand_string 2>/dev/null || uname -m
}

# Lines as in a Markdown block of literal text.
describe_machine() {
    echo "    date        $(date -u +%Y-%m-%d)"
    echo "    processor   $(processor), $(getconf _NPROCESSORS_ONLN) cores, $(uname -sm)"
}

describe_program() { # FOLDER of the tools
    "$1/rvm-train" --version | awk '{ printf "    %-12s%s\n", NR == 1 ? "ours" : "", $0 }'
}
