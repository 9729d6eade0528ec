# bankrun calibrate on a machine without a GPU: a clear message, and nothing is written.
. tests/cli/lib.sh

run calibrate --help; expect_status 0; expect_stdout '^Usage: bankrun calibrate'
for wrong in '--instruction ld.shared.u128' '--patterns x' '--arch sm_9' 'file'; do
    run calibrate $wrong; expect_status 2
done
if [ -e /dev/nvidia0 ]; then
    finish # the rest is about machines without one
fi
run calibrate --save "$folder/truth.csv"
expect_status 1; expect_no_stdout
expect_stderr '^bankrun: error: no GPU to measure: '
[ ! -e "$folder/truth.csv" ] || complain "a file was written"
finish
