# bankrun explain: text, tables, CSV, JSON, messages with carets, files of requests.
. tests/cli/lib.sh

column="tile[threadIdx.x][threadIdx.y]"
run explain "$column" --shared 'float tile[32][32]' --block 32x32
expect_status 0; expect_no_stderr
expect_stdout '^warps 0-31: 32 wavefronts, ideal 1, degree 32: 32-way conflict, 31 excess$'
expect_stdout 'stride 32 words, all in bank 0'
expect_stdout '^ 32 31$'
expect_stdout '^collide: bank 0: lanes 0-31$'
[ "$(awk '{ if (length > n) n = length } END { print n }' "$folder/stdout")" -le 100 ] ||
    complain "lines of more than 100 columns"

run explain "$column" --shared 'float tile[32][33]' --block 32x32
expect_status 0; expect_stdout '^warps 0-31: 1 wavefront, ideal 1, degree 1: no conflict$'
run explain 's[tid / 8]' --shared 'int s[4]'
expect_stdout '^  1  0\+ 8\+16\+24\+$'; expect_stdout 'share a word: lanes 0-7 at word 0; '
run explain 's[tid]' --shared 'int s[64]' --block 40 --color always
expect_stdout '^warp 1, lanes 0-7: 1 wavefront'; expect_stdout "$(printf '\033')"
run explain 's[tid]' --shared 'int s[64]' --block 40 --warp 1
expect_stdout '^warp 1, lanes 0-7: '
run explain 's[tid * 2]' --shared 'int s[64]' --if 'tid % 2 == 0'
expect_stdout '^warp 0, lanes 0, 2, 4, .*: 2 wavefronts'
run explain 's[0]' --shared 'int s[64]' --if 0; expect_status 0; expect_stdout '^no lane takes part$'

# Wide accesses, stores, atomics, other widths and places.
run explain '*(float4*)&s[4 * tid]' --shared 'float s[128]'
expect_stdout '^warp 0: 4 wavefronts, ideal 4, degree 1: no conflict'
run explain 'reinterpret_cast<float4 *>(s)[tid]' --shared 'float s[128]'
expect_stdout 'load of 16 bytes a lane \(float4\)'; expect_stdout '^warp 0: 4 wavefronts, ideal 4'
run explain 's[0]' --shared 'int s[64]' --atomic; expect_stdout '^warp 0: 32 wavefronts'
expect_stdout '^  as compiled: 1 wavefront for an atomicAdd, Sub, Min, .* whose result is not used:$'
run explain 's[tid / 4]' --shared 'int s[64]' --atomic; expect_stdout '^warp 0: 4 wavefronts'
expect_stdout '^  as compiled: 1 wavefront for an atomicAdd of 1 whose result is not used'
run explain 's[k]' --shared 'int s[64]' --let k=0..1 --atomic; expect_stdout '^as compiled: fewer wavefronts'
run explain 's[0]' --shared 'int s[64]' --atomic --format json
expect_stdout '"as_compiled": \{"of": "an atomicAdd, .*", "wavefronts": 1\}'
run explain 's[0]' --shared 'int s[64]' --atomic --arch sm_60
grep -q 'as compiled' "$folder/stdout" && complain "nobody knows what ptxas made of it for 6.0"
run explain 's[tid * 32]' --shared 'int s[1024]' --atomic
grep -q 'as compiled' "$folder/stdout" && complain "lanes that share no word are not summed"
run explain 's[tid]' --shared 'float s[64]' --atomic; expect_stdout '^warp 0: 3 wavefronts'
run explain 's[tid]' --shared 'double s[64]' --store; expect_stdout '^warp 0: 2 wavefronts, ideal 2'
run explain 's[tid]' --shared 'double s[64]' --width 4; expect_stdout '^warp 0: 2 wavefronts, ideal 1'
run explain 's[tid]' --shared 'int s[64]' --base 64; expect_stdout '^  1 16 17 18 '
run explain 's[blockIdx.y]' --shared 'int s[64]' --grid 4x4 --block-index 0,3; expect_stdout 'at word 3'

# Functions and arrays of values.
run explain 's[IDX(tid * 32)]' --shared 'float s[1056]' --let 'IDX(i)=i+i/32'
expect_status 0; expect_stdout '^warp 0: 1 wavefront, ideal 1'
run explain 'FETCH(s[8 * tid])' --shared 'float s[256]' --let 'FETCH(p)=(reinterpret_cast<float4 *>(&(p))[0])'
expect_stdout '^warp 0: 8 wavefronts, ideal 4'
run explain 's[pitch(pad) * tid]' --shared 'float s[2048]' --let pad=0..1 --let 'pitch(p)=32+p'
expect_stdout '^     1 +1 +1 +1 +1 +0  measured$'
run explain 's[IDX(tid, 1)]' --shared 'float s[64]' --let 'IDX(i)=i'; expect_status 2
expect_stderr "^<expression>:1:12: error: 'IDX' takes 1 argument$"; expect_stderr '^           \^$'
run explain 's[IDX(tid, 1)]' --shared 'float s[64]'; expect_status 2
expect_stderr "'IDX' is defined; define it like --let 'IDX\(i,j\)=i\+j'"
run explain 's[f(1)]' --shared 'float s[64]' --let 'f(i)=f(i)'; expect_status 2
expect_stderr "^<let>:1:6: error: 'f' calls itself"; expect_stderr '^     \^$'
run explain 's[h[tid % 3]]' --shared 'float s[64]' --let 'h[]=32,0,64' --if 'tid < 2'
expect_stdout '^warp 0, lanes 0-1: 2 wavefronts'
run explain 's[h[tid]]' --shared 'float s[64]' --let 'h[]=3,1,4'; expect_status 2
expect_stderr 'lane 3 of warp 0 takes h\[3\], and h has 3 values'; expect_stderr '^    \^~~$'
run explain 's[lane]' --shared 'float s[64]'; expect_status 2
expect_stderr "^<expression>:1:3: error: nothing is called 'lane'; write laneid, or add --let lane=laneid$"
expect_stderr '^  \^~~~$'

# Sweeps and generations are tables.
run explain 'tile[tid][0]' --shared 'float tile[32][32 + pad]' --let pad=0..2
expect_stdout '^   pad '; expect_stdout '^     0 +32 +1 +32 +32 +31  measured$'
expect_stdout '^     1 +1 +1 +1 +1 +0  measured$'
run explain 's[tid * k]' --shared 'int s[512]' --let 'k = 1 .. 16' --format csv
expect_stdout '^k,arch,warps,active_mask,'; expect_stdout '^16,sm_90,1,0xffffffff,4,16,16,16,1,16,1,16,measured,'
run explain 's[tid]' --shared 'char s[32]' --arch all
expect_stdout '^ 1\.x +8 +2 +4 +8 +6  documented$'; expect_stdout '^9\.0 +1 +1 +1 +1 +0  measured$'
run explain 's[tid]' --shared 'char s[32]' --arch sm_13 --format json
expect_stdout '"schema": "bankrun-explain/1"'
python3 -m json.tool "$folder/stdout" >/dev/null || complain "not JSON"

# Lanes that leave their array, or are misaligned, are named; status 1.
run explain 's[tid * 32]' --shared 'float s[128]'
expect_status 1; expect_stdout 'out of bounds: lanes 4-31; lane 4 accesses byte 512 of s, which has 512'
expect_stdout '^warp 0: 32 wavefronts'
run explain '*(double*)&s[tid]' --shared 'float s[128]'
expect_status 1; expect_stdout 'misaligned: lane 1 accesses byte 4, no multiple of 8'

# Bad expressions get a caret.
run explain 'tile[tid' --shared 'int tile[32]'
expect_status 2; expect_no_stdout
expect_stderr "^<expression>:1:9: error: expected '\]'"; expect_stderr '^        \^$'
run explain 'reinterpret_cast(s)[tid]' --shared 'int s[32]'; expect_status 2
expect_stderr "^<expression>:1:17: error: expected '<'$"; expect_stderr '^                \^$'
run explain 's[tid]' --shared 'flaot s[32]'
expect_stderr "^<shared>:1:1: error: bankrun knows no type 'flaot'; did you mean 'float'\?$"; expect_stderr '^\^~~~~$'
run explain 's[tid]' --shared 'int s[32]' --let k=; expect_status 2; expect_stderr '^<let>:1:3: error'
run explain 's[tid]' --shared 'int s[32]' --if 'tid <'; expect_status 2; expect_stderr '^<if>:1:6: error'
run explain; expect_status 2; expect_stderr 'which expression\?'
run explain a b; expect_status 2; expect_stderr 'one expression at a time'
run explain 's[0]' --block 32x; expect_status 2; expect_stderr "block: '32x' is not of the form"
run explain 's[0]' --block 64x64; expect_status 2; expect_stderr 'at most 1024 threads'
run explain 's[0]' --block 0; expect_status 2
run explain 's[0]' --shared 'int s[1]' --warp 1; expect_status 2; expect_stderr 'warps 0 to 0'
run explain 's[0]' --width 3; expect_status 2; expect_stderr "'3' is none of 1, 2, 4, 8, 16"
run explain 's[0]' --grid 2 --block-index 2; expect_status 2; expect_stderr 'outside of the grid'
run explain x --requests y; expect_status 2; expect_stderr 'not both'
run explain --arch all --requests y; expect_status 2; expect_stderr 'one architecture'

# The second bank mode of 3.x.
run explain 's[3*tid]' --shared 'float s[96]' --arch sm_35 --bank-mode 8
expect_status 0; expect_stdout '^s.3.tid.: .*, sm_35 with banks of 8 bytes \(documented\)$'
expect_stdout '2 wavefronts, ideal 1, degree 2'
run explain 's[3*tid]' --shared 'float s[96]' --arch sm_35; expect_stdout '1 wavefront, ideal 1'
run explain 's[3*tid]' --shared 'float s[96]' --arch all --bank-mode 8; expect_stdout '^ 3.x .* 2 .*documented$'
run explain 's[3*tid]' --shared 'float s[96]' --arch sm_35 --bank-mode 8 --format json
expect_stdout '"arch": "sm_35", "bank_bytes": 8'
run explain 's[tid]' --shared 'float s[96]' --bank-mode 8; expect_status 2
expect_stderr '^bankrun: --bank-mode 8: only 3.x has it, not sm_90$'
run explain 's[tid]' --shared 'float s[96]' --bank-mode 6; expect_status 2; expect_stderr "'6' is neither 4 nor 8"

# Files of requests.
truth=truth/h200_patterns.csv.gz
run explain --requests "$truth" -o "$folder/costs.csv"
expect_status 0; expect_no_stderr; expect_no_stdout
[ "$(wc -l <"$folder/costs.csv")" = "$(zcat "$truth" | wc -l)" ] || complain "not all rows"
head -1 "$folder/costs.csv" >"$folder/stdout"
expect_stdout '^instruction,active_mask,byte_offsets,cycles_per_instruction,given_wavefronts,wavefronts,ideal,cycles$'
zcat "$truth" >"$folder/plain.csv"
run explain --requests "$folder/plain.csv" -o "$folder/again.csv"; expect_status 0
cmp -s "$folder/costs.csv" "$folder/again.csv" || complain "compressed and plain differ"
"$bankrun" explain --requests - <"$folder/plain.csv" >"$folder/again.csv" || complain "stdin: status $?"
cmp -s "$folder/costs.csv" "$folder/again.csv" || complain "a pipe differs"

sed '3s/0xffffffff/0xfffffffg/; 5s/ 4 / x /' "$folder/plain.csv" | head -7 >"$folder/bad.csv"
run explain --requests "$folder/bad.csv"
expect_status 2; expect_stderr "bad.csv:3:14: error: expected a mask of lanes"
[ "$(wc -l <"$folder/stdout")" = 2 ] || complain "rows before the bad one are missing"
run explain --requests "$folder/bad.csv" --keep-going; expect_status 2
expect_stderr 'bad.csv:3:14: error'; [ "$(wc -l <"$folder/stdout")" -ge 5 ] || complain "did not go on"
head -c 3000 "$truth" >"$folder/cut.csv.gz"
run explain --requests "$folder/cut.csv.gz"; expect_status 2; expect_stderr 'ends too early'
run explain --requests "$folder/none.csv"; expect_status 2; expect_stderr 'No such file'
run explain --requests "$folder/plain.csv" -o /nonexistent/x; expect_status 2; expect_stderr 'No such file'
finish
