#!/bin/sh
# Runs the microbenchmarks with clocks and with the profiler's counters, and folds what they print
# to the form of the files in truth/: run.sh BINARIES RESULTS [MOST].
# MOST: only so many patterns of each instruction. The profiler does ten launches a second, so that
# everything takes eight minutes. Patterns that RESULTS holds already are taken as they are.
# BINARIES holds the built programs (nvcc -arch=sm_90 -O3; wgmma: compute_90a); they are built
# where they are missing. Needs ncu for the counters, and never changes the GPU's settings.
set -u
here=$(dirname "$0"); bin=$1; out=$2
mkdir -p "$bin" "$out/patterns"
python3 "$here/patterns.py" "$out/patterns" ${3:+"$3"} || exit 1
for given in "$out"/*.csv; do # in place of all patterns
    [ -f "$given" ] && mv "$given" "$out/patterns/"
done
for program in atomics generic wide_loads async_copy cluster bulk_copy wgmma; do
    arch=90; [ $program = wgmma ] && arch=90a
    [ -x "$bin/$program" ] || nvcc -gencode=arch=compute_$arch,code=sm_$arch -O3 \
        -o "$bin/$program" "$here/$program.cu" || exit 1
done
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$out/gpu.txt"
ncu --query-metrics | awk '{print $1}' >"$out/metrics.txt"
# Metrics that exist on this GPU, out of those wanted.
pick() { grep -Ex "$1" "$out/metrics.txt" | sed 's/$/.sum/' | paste -sd, -; }
shared='l1tex__data_pipe_lsu_wavefronts(_mem_shared(_op_.*)?)?'
metrics=$(pick "$shared|l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_.*")
count() { # family, arguments...
    family=$1; shift
    ncu --csv --page raw --clock-control none --cache-control none --metrics "$metrics" \
        "$@" >"$out/$family.ncu" 2>"$out/$family.err"
}
while read -r family program copies; do
    "$bin/$program" clock "$out/patterns/$family.csv" >"$out/$family.clock"
    [ "$copies" = 0 ] || count "$family" "$bin/$program" count "$out/patterns/$family.csv" "$copies"
done <<FAMILIES
wide_loads wide_loads 4
generic_atomics generic 4
generic generic 4
cluster cluster 4
async_tags async_copy 1
async_lines async_copy 1
async_banks async_copy 0
async_copy async_copy 4
atomics atomics 4
FAMILIES
for family in bulk_copy wgmma; do
    "$bin/$family" clock >"$out/$family.clock"
done
count wgmma "$bin/wgmma" count
python3 "$here/fold.py" "$out"
