# Bank conflicts that are accepted, with reasons: .bankrun and --suppressions.
. tests/cli/lib.sh

write_column_kernel "$folder/column.ptx"
cd "$folder" || exit 1
launch() { run --launch "$column_launch" "$@" column.ptx; }
launch --format json -o run.json; expect_status 0
launch -q --fail-on excess; expect_status 3; expect_stderr '^bankrun: 62 excess wavefronts'

# By kernel and kind; what is accepted is counted, shown with its reason, and fails nothing.
printf '# one of the two\n\nconflict load column  the tile is one column  \n' >.bankrun
launch -q --fail-on excess=31; expect_status 0; expect_no_stderr
launch -q --fail-on excess=30; expect_status 3
expect_stderr '31 excess wavefronts of shared memory, beside 31 that are accepted'
run report --fail-on degree\>=2 run.json; expect_status 3; expect_stderr 'st.shared.u32 conflicts 32'
expect_stdout 'accepted +the tile is one column$'
expect_stdout '32-way bank conflict'
run report --format json -o kept.json run.json; expect_status 0
grep -q '"suppressed": "the tile is one column"' kept.json || complain "the JSON lacks the reason"
printf 'conflict * colum?  both\n' >.bankrun
launch -q --fail-on 'excess,degree>=2'; expect_status 0; expect_no_stderr
run report --fail-on excess --suppressions '' run.json; expect_status 3
run report --fail-on excess --suppressions '' kept.json; expect_status 3 # of the load alone it is kept
run report --fail-on excess=31 --suppressions '' kept.json; expect_status 0

# A pattern that is about findings takes no conflict with it, and is not missed where nothing looked.
printf '* * *  all findings\nrace * column  nobody looked\n' >.bankrun
launch -q --fail-on excess; expect_status 3
run report run.json; expect_status 0; expect_no_stderr

# What is nowhere any more is said, and no error.
printf 'conflict atomic column  gone\n' >other
run report --suppressions other run.json; expect_status 0
expect_stderr '^bankrun: note: other:1: conflict atomic column: nothing is like it any more$'
launch --suppressions other -q; expect_status 0; expect_no_stderr

# Wrong lines, with a caret, before anything runs.
printf '# fine\nconflict loud column  why\n  sink * x why\nconflict load column\nconflict\n' >wrong
run report --suppressions wrong run.json; expect_status 2; expect_no_stdout
expect_stderr "^wrong:2:10: error: 'loud' is no access"
expect_stderr '^         \^~~~$'
expect_stderr "^wrong:3:3: error: 'sink' is no checker"
expect_stderr '^wrong:4:15: error: .*the reason is missing'
expect_stderr '^wrong:5:1: error: .*KIND is missing'
cp wrong .bankrun
launch --dump out=-; expect_status 2; expect_no_stdout
rm .bankrun; mkdir .bankrun # of somebody else
launch -q; expect_status 0; expect_no_stderr
run report --suppressions nowhere run.json; expect_status 2; expect_stderr 'nowhere: No such file'
finish
