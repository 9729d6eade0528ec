# Every version of PTX from 3.0 to 9.0 and beyond, with the targets that each brought.
. tests/cli/lib.sh
write_column_kernel "$folder/k.ptx"
for version in 3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0 6.0 6.1 6.2 6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0; do
    sed "s/^\.version .*/.version $version/; s/^\.target .*/.target sm_52/" "$folder/k.ptx" >"$folder/v.ptx"
    run "$folder/v.ptx" --launch "$column_launch"
    expect_status 0
done
for target in sm_20 sm_30 sm_35 sm_50 sm_61 sm_70 sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103a sm_120 sm_121a; do
    sed "s/^\.version .*/.version 9.0/; s/^\.target .*/.target $target/" "$folder/k.ptx" >"$folder/t.ptx"
    run "$folder/t.ptx" --launch "$column_launch"
    expect_status 0
done
finish
