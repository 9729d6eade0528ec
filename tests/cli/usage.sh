# The command line itself: help, version, unknown words, bad values.
. tests/cli/lib.sh

run --help; expect_status 0; expect_stdout '^Usage: bankrun FILE'; expect_no_stderr
run help run; expect_status 0; expect_stdout '^Usage: bankrun \[run\]'
run report --help; expect_status 0; expect_stdout '^Usage: bankrun report'
run run -h; expect_status 0; expect_stdout '--launch SPEC'
run; expect_status 2; expect_stderr '^Usage: bankrun FILE'; expect_no_stdout
run --version; expect_status 0; expect_stdout '^bankrun [0-9]+\.[0-9]+\.[0-9]+$'
run help nothing; expect_status 2; expect_stderr "no command 'nothing'"

run --lanch x; expect_status 2; expect_stderr "unknown option '--lanch'; did you mean '--launch'\?"
run --zzzzz; expect_status 2; expect_stderr "unknown option '--zzzzz'; see 'bankrun run --help'"
run -z; expect_status 2; expect_stderr "unknown option '-z'"
run --quiet=yes x.cu; expect_status 2; expect_stderr '--quiet takes no value'
run report --launch x; expect_status 2; expect_stderr "unknown option '--launch'"
run reprot x.json; expect_status 2; expect_stderr "did you mean 'bankrun report'\?"
run --launch; expect_status 2; expect_stderr '--launch needs a value: --launch SPEC'
run -o; expect_status 2; expect_stderr '-o needs a value: -o FILE'
run --quiet; expect_status 2; expect_stderr 'which program\?'
run report; expect_status 2; expect_stderr 'which profile\?'
run report a.json b.json; expect_status 2; expect_stderr 'a.json: No such file'

for arch in sm_9 banana 9.x sm_90q 1000; do
    run --arch $arch x.cu; expect_status 2; expect_stderr "--arch: '$arch' is no architecture"
done
run --arch=sm_99 x.cu; expect_status 2; expect_stderr 'no model for sm_99; known are .*90'
run --threads many x.cu; expect_status 2; expect_stderr "--threads: 'many' is no number"
run --threads -1 x.cu; expect_status 2; expect_stderr "--threads: '-1' is no number from 0 to 1024"
run --devices 17 x.cu; expect_status 2; expect_stderr "--devices: '17' is no number from 0 to 16"
run --devices 0 x.cu; expect_status 2; expect_stderr '--devices: a program needs one at least'
run --max-instructions 1e6 x.cu; expect_status 2; expect_stderr 'is no number'
run --format xml x.cu; expect_status 2; expect_stderr "--format: 'xml' is none of text, json, csv"
run --color sometimes x.cu; expect_status 2; expect_stderr 'is none of auto, always, never'
run --fail-on conflicts x.cu; expect_status 2; expect_stderr "'conflicts' is none of fault, excess, excess=N, degree>=N, regression, check"
run --fail-on excess, x.cu; expect_status 2; expect_stderr "'' is none of fault, excess, excess=N, degree>=N, regression, check"
run --fail-on fault=1 x.cu; expect_status 2; expect_stderr "'fault=1' is none of fault, excess, excess=N, degree>=N, regression, check"
run --fail-on fault,excess=99999999999999999999999 x.cu; expect_status 2; expect_stderr 'is no number'
run --fail-on fault --no-count x.cu; expect_status 2; expect_stderr 'leave --no-count out'
run --fail-on excess=x x.cu; expect_status 2; expect_stderr 'is no number'
run --dump out x.ptx; expect_status 2; expect_stderr 'is not of the form ARG=FILE'
finish
