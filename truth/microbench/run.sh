#!/bin/sh
# Runs the microbenchmarks with clocks and with the profiler's counters: run.sh BINARIES RESULTS.
# BINARIES holds the built programs (nvcc -arch=sm_90 -O3; wgmma: compute_90a); they are built
# where they are missing. Needs ncu, and never changes the GPU's settings.
set -u
here=$(dirname "$0"); bin=$1; out=$2
mkdir -p "$bin" "$out"
python3 "$here/patterns.py" "$out" || exit 1
for program in atomics generic async_copy cluster bulk_copy wgmma; do
    arch=90; [ $program = wgmma ] && arch=90a
    [ -x "$bin/$program" ] || nvcc -gencode=arch=compute_$arch,code=sm_$arch -O3 \
        -o "$bin/$program" "$here/$program.cu" || exit 1
done
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$out/gpu.txt"
# Metrics that exist on this GPU, out of those wanted.
ncu --query-metrics | awk '{print $1}' >"$out/metrics.txt"
pick() { grep -Ex "$1" "$out/metrics.txt" | sed 's/$/.sum/' | paste -sd, -; }
lsu='l1tex__data_pipe_lsu_wavefronts(_mem_shared(_op_.*)?|_mem_lg)?'
lsu=$(pick "$lsu|smsp__inst_executed_op_ldgsts(_.*)?")
all=$(pick '(l1tex|sm|smsp|idc)__.*(shared|ldgsts|tma|dsmem|wavefront|data_bank|tensor|gmma).*')
count() { # family, metrics, arguments...
    family=$1 metrics=$2; shift 2
    ncu --csv --page raw --clock-control none --cache-control none --metrics "$metrics" \
        "$@" >"$out/$family.ncu" 2>"$out/$family.err"
}
for family in atomics generic async_copy cluster; do
    "$bin/$family" clock "$out/$family.csv" >"$out/$family.clock"
    count $family "$lsu" "$bin/$family" count "$out/$family.csv"
done
for family in bulk_copy wgmma; do
    "$bin/$family" clock >"$out/$family.clock"
    count $family "$lsu" "$bin/$family" count
done
# Every counter that might tell something, for one launch of each kind.
for family in async_copy cluster; do
    count probe_$family "$all" --launch-count 3 "$bin/$family" count "$out/$family.csv"
done
count probe_bulk_copy "$all" --launch-skip 156 --launch-count 2 "$bin/bulk_copy" count
count probe_bulk_store "$all" --launch-skip 330 --launch-count 1 "$bin/bulk_copy" count
count probe_wgmma "$all" --launch-count 4 "$bin/wgmma" count
