# Saved profiles: from a pipe, and several of them added up.
. tests/cli/lib.sh

write_column_kernel "$folder/column.ptx"
save() { # FILE OPTIONS...
    to=$1; shift
    run --launch "$column_launch" --format json -o "$to" "$@" "$folder/column.ptx"
    expect_status 0
}
sum_of() { # of all launches: launches, wavefronts
    python3 -c 'import json, sys
launches = json.load(open(sys.argv[1]))["launches"]
print(sum(l["repeats"] for l in launches),
      sum(s["wavefronts"] * l["repeats"] for l in launches for s in l["sites"] if s["space"] == "shared"))' "$1"
}
cd "$folder" || exit 1
save a.json
save b.json
save other.json --arch sm_75

"$bankrun" report - <a.json >out 2>err || complain "of a file: $(cat err)"
cat a.json | "$bankrun" report --format json - >c.json 2>err || complain "of a pipe: $(cat err)"
cmp -s a.json c.json || complain "the profile is not what it was"
"$bankrun" report - </dev/null >out 2>err
status=$? ran="report - </dev/null"; expect_status 2
grep -q '^bankrun: error: <stdin>:1:0: not JSON' err || complain "$(cat err)"
"$bankrun" report - <&- >out 2>err
status=$? ran="report - <&-"; expect_status 2
grep -q 'standard input' err || complain "$(cat err)"

run report --format json -o sum.json a.json b.json; expect_status 0
run report --format json -o more.json sum.json a.json; expect_status 0
one=$(sum_of a.json) two=$(sum_of sum.json) three=$(sum_of more.json)
[ "$two" = "2 $((${one#* } * 2))" ] || complain "$one and the same: $two"
[ "$three" = "3 $((${one#* } * 3))" ] || complain "$two and $one: $three"
run report more.json; expect_status 0
expect_stdout '^3 processes used CUDA'
expect_stdout 'launches 1 to 3 of 3, alike'
excess=$(("${one#* }" / 2))
run report --fail-on "excess=${one#* }" a.json; expect_status 0
run report --fail-on "excess=$((${one#* } * 9))" a.json b.json; expect_status 0
run report --fail-on "excess=$excess" a.json b.json; expect_status 3

run report a.json other.json; expect_status 2
expect_stderr '^bankrun: other.json is of another architecture than a.json'
run report a.json none.json; expect_status 2; expect_stderr 'none.json: No such file'
# What is read is not lost where it cannot be written.
run report -o other.json a.json other.json; expect_status 2
[ -s other.json ] || complain "an input was removed"
finish
