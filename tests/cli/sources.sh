# Sources that may never end: pipes, devices, and files of any length.
. tests/cli/lib.sh

mkfifo "$folder/pipe.ptx"
# A pipe that waited for a writer would end with status 124.
ask() {
    timeout 60 "$bankrun" "$@" >"$folder/stdout" 2>"$folder/stderr" </dev/null
    status=$?
    ran="bankrun $*"
}
ask "$folder/pipe.ptx" --launch "$column_launch"
expect_status 2; expect_stderr 'pipe.ptx: not a regular file; a program is read more than once'
ask /dev/zero
expect_status 2; expect_stderr '/dev/zero: not a regular file'
printf '.version 8.0\n' >"$folder/large.ptx"
truncate -s 2G "$folder/large.ptx" && {
    ask "$folder/large.ptx" --launch "$column_launch"
    expect_status 2; expect_stderr 'large.ptx: File too large'
}

# The report quotes lines of sources that it can read to the end, and does without the others.
for source in /dev/zero "$folder/pipe.ptx" "$folder/large.ptx" "$folder"; do
    write_column_kernel "$folder/k.ptx"
    sed -i 's/^    st.shared/    .loc 1 1 1\n&/' "$folder/k.ptx"
    echo ".file 1 \"$source\"" >>"$folder/k.ptx"
    ask "$folder/k.ptx" --launch "$column_launch"
    expect_status 0; expect_stderr '32-way bank conflict'
done
printf 'the quoted line\n' >"$folder/short"
echo ".file 1 \"$folder/short\"" >"$folder/last"
sed -i '$d' "$folder/k.ptx"
cat "$folder/last" >>"$folder/k.ptx"
ask "$folder/k.ptx" --launch "$column_launch"
expect_status 0; expect_stderr '1 \| the quoted line'
finish
