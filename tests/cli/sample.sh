# --blocks: some blocks stand for all. Where all blocks are alike the counts are those of the whole
# grid; where they differ the error that is printed holds them.
. tests/cli/lib.sh

write_column_kernel "$folder/column.ptx"
# `uneven`: block b reads its column b % 64 times.
sed 's/column(/uneven(/; s|^    ld.shared.*|    mov.u32 %r2, %ctaid.x; and.b32 %r2, %r2, 63;\
again: setp.eq.u32 %p, %r2, 0;\
@%p bra done;\
    ld.shared.u32 %r5, [%r4];\
    sub.u32 %r2, %r2, 1;\
    bra again;\
done:|; s|^    .reg .b32.*|    .reg .pred %p;\
    .reg .b32 %r<8>;|' "$folder/column.ptx" >"$folder/uneven.ptx"

alike='column<<<4000, 32>>>(out:u32[32], 3)'
# What is counted; block 0, which tells of cures, need not be among those that are run.
counts() {
    python3 -c 'import json, sys
profile = json.load(open(sys.argv[2]))
for launch in profile["launches"]: launch.pop("cures", None)
print(json.dumps(profile, indent=1))' "$@" | grep "\"$1\": [0-9]*"
}
run --format json -o "$folder/all.json" --launch "$alike" "$folder/column.ptx"; expect_status 0
for blocks in 10 1% 3999 100%; do
    run --format json -o "$folder/some.json" --blocks "$blocks" --launch "$alike" "$folder/column.ptx"
    expect_status 0
    for key in wavefronts requests ideal instructions; do
        [ "$(counts "$key" "$folder/some.json")" = "$(counts "$key" "$folder/all.json")" ] ||
            complain "--blocks $blocks: other $key than the whole grid has"
    done
done
run --blocks 10 --launch "$alike" "$folder/column.ptx"
expect_stderr 'grid 4,000, block 32, shared 4,096 bytes; 10 of 4,000 blocks sampled'
expect_stderr 'wavefronts \+-0.00 %, sectors \+-0.00 % \(95 % sure\)'
expect_stderr '~248,000 of ~256,000 wavefronts are excess'

python3 - "$bankrun" "$folder/uneven.ptx" <<'PY' || complain 'the error does not hold the truth'
import json, subprocess, sys
def launch(*more):
    command = [sys.argv[1], sys.argv[2], "--launch", "uneven<<<20000, 32>>>(out:u32[32], 3)",
               "--format", "json", "-o", "-", *more]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["launches"][0]
def wavefronts(launch):
    return launch["totals"]["shared"]["load"]["wavefronts"] + \
        launch["totals"]["shared"]["store"]["wavefronts"]
truth = wavefronts(launch())
for blocks in ("20", "200", "2000", "5%"):
    sample = launch("--blocks", blocks)
    error = sample["sample"]["wavefronts_error"]
    off = abs(wavefronts(sample) / truth - 1)
    print(blocks, truth, wavefronts(sample), error, off)
    assert 0 < error < 0.5 and off <= 1.5 * error, (blocks, off, error)
one = [launch("--blocks", "200", "--threads", str(t)) for t in (1, 2, 3)]
assert one[0] == one[1] == one[2]
PY

for wrong in 0 x -1 0% 101% 5%% ''; do
    run --blocks "$wrong" --launch "$alike" "$folder/column.ptx"
    expect_status 2; expect_stderr 'is neither a number of blocks nor a percentage, nor auto'
done
finish
