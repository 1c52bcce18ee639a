# The tests of python/rvm_ml.py, by a Python that has numpy: $PYTHON, python3, or the system's.
set -eu

case $FLAVOUR in
    release | werror) ;;
    *) echo "python runs no library built for $FLAVOUR"; exit 77 ;;
esac
found=
for python in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then
        found=$python
        break
    fi
done
[ -n "$found" ] || { echo 'needs python3 with numpy'; exit 77; }
library=$SRC/build/$FLAVOUR/librvm-ml.so.0
if [ -e "$library" ]; then # or the one that is installed
    RVM_ML_LIBRARY=$library
    export RVM_ML_LIBRARY
fi
PYTHONDONTWRITEBYTECODE=1
OPENBLAS_NUM_THREADS=1
export PYTHONDONTWRITEBYTECODE OPENBLAS_NUM_THREADS
exec "$found" "$SRC/python/test_rvm_ml.py"
