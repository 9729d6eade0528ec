#!/bin/sh
# Fetches NVIDIA's CUDA compiler for a machine that has none: its packages on PyPI (some 200 MB, under
# NVIDIA's licence), nvdisasm among them, go into a virtual environment in the build folder, and a
# small script beside bankrun starts nvcc there. Does nothing where there is an nvcc.
#
#     tools/get-nvcc.sh [BUILD_FOLDER]
set -eu

build=${1:-build}
version="13.0.*"
packages="nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl"
# It reads what older ones made, and is no package before 13.2.
disassembler="nvidia-cuda-nvdisasm>=13.2,<14"

if command -v nvcc >/dev/null 2>&1 || [ -x /usr/local/cuda/bin/nvcc ] || [ -x "$build/nvcc" ]; then
    exit 0
fi
mkdir -p "$build"
folder=$(cd "$build" && pwd)/nvcc-packages
echo "get-nvcc: fetching NVIDIA's CUDA compiler (about 200 MB) into $folder"
requirements=""
for package in $packages; do
    requirements="$requirements $package==$version"
done
if ! python3 -m venv "$folder" || ! "$folder/bin/python" -m pip install --quiet $requirements "$disassembler"; then
    rm -rf "$folder"
    echo "get-nvcc: could not fetch it. Programs in .cu files need nvcc: install NVIDIA's CUDA" \
        "toolkit (https://developer.nvidia.com/cuda-downloads)" >&2
    exit 1
fi
# The packages lack what nvcc gives to the linker: the folder lib64, and the runtime's name there.
(
    cd "$folder"/lib/python3*/site-packages/nvidia/cu13
    ln -sf lib lib64
    cd lib
    ln -sf libcudart.so.1? libcudart.so
)
nvcc=$(find "$folder" -path '*/bin/nvcc' | head -n 1)
printf '#!/bin/sh\nexec "%s" "$@"\n' "$nvcc" >"$build/nvcc"
chmod +x "$build/nvcc"
