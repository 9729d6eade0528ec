# What cannot be written is an error, and an older file is never taken for a new one.
. tests/cli/lib.sh

write_column_kernel "$folder/column.ptx"
kernel=$folder/column.ptx

# Runs bankrun with that stdout; leaves $status, and stderr in $folder/stderr.
run_to() {
    to=$1; shift
    "$bankrun" "$@" >"$to" 2>"$folder/stderr" </dev/null
    status=$?
    ran="bankrun $* >$to"
}

# ---- A full disk ------------------------------------------------------------------------------
if [ -e /dev/full ]; then
    for arguments in --version --help "run --help" "help --list" nvcc-flags "explain --help"; do
        run_to /dev/full $arguments
        expect_status 2; expect_stderr '(not all of )?the output'
    done
    run_to /dev/full explain --block 32 --shared 'float s[32]' 's[threadIdx.x]'
    expect_status 2; expect_stderr '^bankrun: the output: No space left'
    run_to /dev/full --launch "$column_launch" --quiet --dump out=- "$kernel"
    expect_status 2; expect_stderr '^bankrun: not all of the output could be written$'
    run_to /dev/full --launch "$column_launch" -o - "$kernel"
    expect_status 2; expect_stderr 'cannot write the report to the output: No space left'
    run --launch "$column_launch" -o /dev/full "$kernel"
    expect_status 2; expect_stderr 'cannot write the report to /dev/full: No space left'
    run --launch "$column_launch" --quiet --dump out=/dev/full "$kernel"
    expect_status 2; expect_stderr '/dev/full: No space left'
    run --launch "$column_launch" --format json -o "$folder/run.json" "$kernel"; expect_status 0
    for format in text json csv html sarif github gitlab junit cachegrind; do
        run_to /dev/full report --format $format "$folder/run.json"
        expect_status 2; expect_stderr 'cannot write the report to the output: No space left'
    done
fi
# What is not used is not missed.
"$bankrun" --launch "$column_launch" --quiet "$kernel" >&- 2>"$folder/stderr"
status=$? ran="bankrun >&-"; expect_status 0; expect_no_stderr
(ulimit -f 0; "$bankrun" --launch "$column_launch" -o "$folder/small" "$kernel" 2>"$folder/stderr")
status=$? ran="ulimit -f 0"; expect_status 2
[ ! -e "$folder/small" ] || complain "a file was left"

# ---- Formats for machines ----------------------------------------------------------------------
# They are stdout's, unless -o says otherwise; a run has nothing else there.
run --launch "$column_launch" --format json "$kernel"; expect_status 0; expect_no_stderr
python3 -c 'import json, sys; json.load(sys.stdin)' <"$folder/stdout" || complain "no JSON"
run -q --launch "$column_launch" --format csv "$kernel"; expect_status 0; expect_stdout '^launch,kernel'
run --launch "$column_launch" --format json --dump out=- "$kernel"
expect_status 2; expect_stderr 'both go to standard output'; expect_no_stdout
run --launch "$column_launch" --format csv --dump out=- -o "$folder/run.csv" "$kernel"
expect_status 0; expect_stdout '93'; expect_no_stderr
run --launch "$column_launch" "$kernel"; expect_status 0; expect_no_stdout; expect_stderr 'bank conflict'
run_to /dev/full --launch "$column_launch" --format json "$kernel"
expect_status 2; expect_stderr 'cannot write the report to the output: No space left'
"$bankrun" --launch "$column_launch" --format json "$kernel" >&- 2>"$folder/stderr"
status=$? ran="bankrun --format json >&-"; expect_status 2; expect_stderr 'closed'

# ---- Where nothing can be written, nothing runs -------------------------------------------------
for place in "$folder/nowhere/run.json" "$folder" "$kernel/run.json"; do
    run --launch "$column_launch" --dump out=- -o "$place" "$kernel"
    expect_status 2; expect_no_stdout; expect_stderr "^bankrun: cannot write the report to $place: "
done

# ---- An older file ----------------------------------------------------------------------------
old() { echo old >"$folder/old.json"; }
gone() { [ ! -e "$folder/old.json" ] || complain "the older file was left: $(cat "$folder/old.json")"; }
kept() { [ "$(cat "$folder/old.json")" = old ] || complain "the older file is not what it was"; }
save="--format json -o $folder/old.json"

old; run $save --launch "$column_launch" "$kernel"; expect_status 0
grep -q bankrun-profile "$folder/old.json" || complain "no new file"
old; run $save --launch 'column<<<1, 2048>>>(out:u32[32], 3)' "$kernel"; expect_status 2
grep -q '"limit": "block_extent"' "$folder/old.json" || complain "the refused launch is not in the file"
run report --fail-on fault "$folder/old.json"; expect_status 4; expect_stderr '1 launch was refused'
expect_stdout 'cure: launch blocks of at most 1024 threads in x, and more of them'
old; run $save --no-count --launch 'column<<<1, 2048>>>(out:u32[32], 3)' "$kernel"; expect_status 2; gone
run --format csv -o - --launch 'column<<<1, 2048>>>(out:u32[32], 3)' "$kernel"; expect_status 2
expect_stdout '^,column,.*,1,,refused: a block has at most 1024 threads in x'
old; run $save --launch 'nothing<<<1, 1>>>()' "$kernel"; expect_status 2; gone
old; run $save "$folder/nowhere.ptx"; expect_status 2; gone
old; run $save /bin/true; expect_status 2; gone
old; run $save --no-count sh -c 'exit 3'; expect_status 3; gone
old; run $save --no-such-option "$kernel"; expect_status 2; kept
old; run report -o "$folder/old.json" --format csv "$kernel"; expect_status 2; gone
old; run report "$folder/old.json" -o "$folder/old.json"; expect_status 2; kept
cp "$kernel" "$folder/self.ptx"
run -o "$folder/self.ptx" --launch "$column_launch" "$folder/self.ptx"
expect_status 2; expect_stderr 'would write over the input'
cmp -s "$kernel" "$folder/self.ptx" || complain "the input is not what it was"
# While it runs there is nothing to be mistaken.
old; run $save sh -c "cat '$folder/old.json'; exit 1"; expect_status 1; expect_no_stdout; gone
# A link stays one, and permissions stay.
old; ln -s old.json "$folder/link"; chmod 640 "$folder/old.json"
run --format json -o "$folder/link" --launch "$column_launch" "$kernel"; expect_status 0
[ -h "$folder/link" ] || complain "the link is gone"
[ "$(stat -c %a "$folder/old.json")" = 640 ] || complain "other permissions"
run --format json -o "$folder/link" --launch 'nothing<<<1, 1>>>()' "$kernel"; expect_status 2; gone

finish
