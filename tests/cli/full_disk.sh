# A full disk, one without inodes, and one that can only be read: as TMPDIR nothing is lost, or the
# reason is said; as the cache's place programs run as if it were not there; -o says what it lacks.
# Mounted where nobody else sees it.
. tests/cli/lib.sh

need_nvcc
if [ -z "${BANKRUN_MOUNTS:-}" ]; then
    if ! unshare -Urm sh -c 'mount -t tmpfs none /mnt' 2>/dev/null; then
        echo "this system does not let users mount a tmpfs of their own"
        exit 77
    fi
    BANKRUN_MOUNTS=1 exec unshare -Urm bash tests/cli/full_disk.sh
fi

cat >"$folder/column.cu" <<'EOF'
#include <cstdio>
__global__ void column(int *out) {
    __shared__ int tile[32][32];
    tile[threadIdx.x][0] = threadIdx.x;
    out[threadIdx.x] = tile[31 - threadIdx.x][0];
}
int main() {
    int *out;
    cudaMallocManaged(&out, 128);
    column<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("out[0] is %d\n", out[0]);
}
EOF
nvcc -lineinfo -gencode arch=compute_90,code=compute_90 -cudart shared -o "$folder/app" \
    "$folder/column.cu" || exit 1
printf '#!/bin/sh\n"%s"\n"%s"\n' "$folder/app" "$folder/app" >"$folder/both.sh"
chmod +x "$folder/both.sh"
write_column_kernel "$folder/k.ptx"

# Mounts what $1 says at $place.
place=$folder/place
mkdir "$place"
mounted() {
    umount "$place" 2>/dev/null
    case $1 in
    full)
        mount -t tmpfs -o size=64k none "$place"
        dd if=/dev/zero of="$place/all" bs=4k 2>/dev/null
        ;;
    inodes)
        mount -t tmpfs -o size=64m,nr_inodes=2 none "$place"
        : >"$place/only"
        ;;
    read-only)
        mount -t tmpfs -o size=1m none "$place"
        mount -o remount,ro "$place"
        ;;
    esac
    : 2>/dev/null >"$place/more" && [ "$1" != full ] && complain "$1: it takes a file"
}

saved=$folder/saved.json
for kind in full inodes read-only; do
    mounted $kind

    # What runs needs no temporary file; what is compiled does.
    export TMPDIR=$place
    for command in app both.sh; do
        rm -f "$saved"
        run --format json -o "$saved" "$folder/$command"; expect_status 0
        expect_stdout '^out\[0\] is 31$'
        run report --fail-on fault "$saved"; expect_status 0; expect_stdout 'column\(int\*\)'
    done
    run --format json -o "$saved" --launch "$column_launch" "$folder/k.ptx"; expect_status 0
    run --no-cache --quiet "$folder/column.cu"; expect_status 2
    expect_stderr "$place|No space left|not compiled"
    unset TMPDIR

    # Neither kept nor missed.
    XDG_CACHE_HOME=$place run --quiet "$folder/column.cu"; expect_status 0
    expect_stdout '^out\[0\] is 31$'
    leftover=$(find "$place" -name '*.program' -size +0 | head -1)
    [ -z "$leftover" ] || complain "$kind: $leftover"

    run --format json -o "$place/saved.json" "$folder/app"; expect_status 2
    expect_stderr 'No space left|Read-only file system'
    [ ! -s "$place/saved.json" ] || complain "$kind: a piece of a report was left"
    run --launch "$column_launch" --quiet --dump out="$place/out" "$folder/k.ptx"; expect_status 2
    expect_stderr 'No space left|Read-only file system'
done
umount "$place"

# A cache that comes to be read-only: what it has is used, the rest is compiled.
mount -t tmpfs -o size=64m none "$place"
export XDG_CACHE_HOME=$place
printf '#!/bin/sh\nunset LD_PRELOAD\nexec "%s" "$@"\n' "$BANKRUN_TEST_NVCC" >"$folder/real-nvcc" # no sanitizer in it
chmod +x "$folder/real-nvcc"
real="--nvcc $folder/real-nvcc"
run $real --quiet "$folder/column.cu"; expect_status 0
[ -n "$(find "$place" -name '*.program')" ] || complain "nothing was kept"
mount -o remount,ro "$place"
run $real --quiet "$folder/column.cu"; expect_status 0; expect_stdout '^out\[0\] is 31$'
run --quiet -DOTHER "$folder/column.cu"; expect_status 0; expect_stdout '^out\[0\] is 31$'
umount "$place"

finish
