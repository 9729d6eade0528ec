# Files that cannot be run, each with the reason.
. tests/cli/lib.sh

run "$folder/none.cu"; expect_status 2; expect_stderr 'none.cu: No such file or directory'
run "$folder"; expect_status 2; expect_stderr 'Is a directory'
run report "$folder/none.json"; expect_status 2; expect_stderr 'none.json.*No such file'

echo 'hello' >"$folder/text"
run "$folder/text"; expect_status 2; expect_stderr 'text: not a CUDA program'
: >"$folder/empty"
run "$folder/empty"; expect_status 2; expect_stderr 'empty: not a CUDA program'
echo '{}' >"$folder/not.json"
run report "$folder/not.json"; expect_status 2; expect_stderr 'not.json'
run report "$folder/text"; expect_status 2; expect_stderr 'text'

# An executable without CUDA, and half of one.
run /bin/true; expect_status 2; expect_stderr '/bin/true: no process used CUDA'
head -c 100 /bin/true >"$folder/half"
run "$folder/half"; expect_status 2; expect_stderr 'half'

write_column_kernel "$folder/k.ptx"
run "$folder/k.ptx" argument; expect_status 2; expect_stderr "'argument': a kernel takes its arg"
run "$folder/k.ptx"; expect_status 2; expect_stderr '--launch says what to run'
expect_stderr "--launch 'column<<<1, 32>>>\(f32\[1024\]=iota, 1024\)'"
finish
