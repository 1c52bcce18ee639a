# Strict C99 and C++ include the header, alone and first; a C++ program runs.
set -eu
# shellcheck source=tests/cli/library/setup.inc
. "$SRC/tests/cli/library/setup.inc"

cat >program.c <<'END'
#include <rvm-ml/rvm_ml.h>
int main(void)
{
    return rvmml_version()[0] == '\0';
}
END
compile c99 program.c
./c99
command -v "${CXX:-g++}" >/dev/null || { echo 'needs a C++ compiler'; exit 77; }
cp program.c program.cc
# shellcheck disable=SC2046,SC2086,SC2154
for standard in c++98 c++17; do
    ${CXX:-g++} -std=$standard -pedantic -Wall -Wextra -Werror $instrument -o plus program.cc \
        $(pkg-config --cflags --libs rvm-ml)
    ./plus
done
