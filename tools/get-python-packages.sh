#!/bin/sh
# Installs the packages of PyPI that the examples of examples/python are of (8 GB), in a virtual environment in the build folder, once:
# those of requirements.txt, then PyTorch and tilelang, then PyCUDA, which PyPI has as sources alone. Does nothing where they are
# there. Each list that cannot be had is named, with the reason; fails where the first is among them.
#
#     tools/get-python-packages.sh [BUILD_FOLDER]
set -eu

build=${1:-build}
folder=$build/python-packages
lists=examples/python

say() {
    echo "get-python-packages: $*" >&2
}

# With the first list all others are begun anew.
begin() {
    rm -rf "$build/python-wheels"
    mkdir -p "$build/python-wheels"
    TMPDIR=$(cd "$build/python-wheels" && pwd) # a killed pip leaves GB there
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
    cmp -s "$folder/requirements.txt" "$lists/requirements.txt" || rm -rf "$folder"
    [ -e "$folder/requirements.txt" ] || python3 -m venv "$folder" || { say "python3 -m venv fails"; exit 1; }
}

# A list, the GB that it takes while it is unpacked, and the seconds that it may take.
install() {
    ! cmp -s "$folder/$1" "$lists/$1" || return 0
    free=$(df -Pk "$build" | awk 'NR == 2 { print int($4 / 1000000) }')
    if [ "$free" -lt "$2" ]; then
        say "$1: $2 GB are needed for a while, and $free are free"
        return 1
    fi
    status=0
    timeout --foreground "$3" "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --retries 1 --timeout 20 \
        -r "$lists/$1" || status=$?
    if [ "$status" -eq 124 ]; then
        rm -rf "$folder" # parts of packages may lie there
        say "$1: not installed within $3 seconds"
        exit 1
    elif [ "$status" -ne 0 ]; then
        say "$1: pip could not install it"
        return 1
    fi
    cp "$lists/$1" "$folder/$1"
}

# PyCUDA is compiled for the toolkit whose nvcc comes first in PATH: for one of the packages' headers, and of libraries to link with,
# which the packages have not, and which need not hold anything.
compile() (
    nvidia=$(cd "$folder"/lib/python3*/site-packages/nvidia/cu13 && pwd)
    toolkit=$(mktemp -d)
    mkdir "$toolkit/bin" "$toolkit/lib"
    ln -s /bin/false "$toolkit/bin/nvcc"
    ln -s "$nvidia/include" "$toolkit/include"
    for name in cuda.so.1 curand.so.10; do
        if ! ${CC:-cc} -shared -x c /dev/null -o "$toolkit/lib/lib${name%%.*}.so" -Wl,-soname,"lib$name"; then
            say "$1: no C compiler"
            return 1
        fi
    done
    export PATH="$toolkit/bin:$PATH" LDFLAGS="-Wl,--no-as-needed,-rpath,$nvidia/lib"
    install "$@"
)

begin
install requirements.txt 11 900 || exit 1
install requirements-torch.txt 6 900 || true
compile requirements-pycuda.txt 1 900 || true
[ -e "$folder/requirements.txt" ]
