"""bankrun prove: its inputs, options, formats and messages."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
problems = []

# A column of a tile, in full warps or not; a parameter that strides; what nobody knows, or reaches.
PTX = """.version 7.0
.target sm_80
.address_size 64

.visible .entry column(
    .param .u64 out,
    .param .u32 n
)
SHAPE
{
    .reg .pred %p<2>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b8 tile[32768];

    mov.u32 %r1, %tid.x;
    mov.u32 %r4, tile;
    shl.b32 %r5, %r1, 2;
    add.u32 %r6, %r4, %r5;
    st.shared.u32 [%r6], %r1;
    mad.lo.u32 %r7, %r1, 128, %r4;
    ld.shared.u32 %r8, [%r7];
    ld.shared.u32 %r8, [%r7+4];
    ld.param.u32 %r2, [n];
    mad.lo.u32 %r9, %r5, %r2, %r4;
    ld.shared.u32 %r10, [%r9];
    ld.param.u64 %rd1, [out];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    ld.global.u32 %r3, [%rd2];
    st.shared.u32 [%r3], %r10;
    setp.gt.u32 %p1, %r1, 5000;
    @%p1 st.shared.u32 [%r6+4], %r10;
    ret;
}

.visible .entry _Z5emptyv()
{
    ret;
}
"""
BOUNDS = """.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 dynamic[];

.visible .entry beyond(.param .u64 out)
{
    .reg .b32 %r<9>;
    .shared .align 4 .b8 first[128];
    .shared .align 4 .b8 second[130];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, first;
    add.u32 %r3, %r3, %r2;
    st.shared.u32 [%r3], %r1;
    mov.u32 %r4, second;
    add.u32 %r4, %r4, %r2;
    st.shared.u32 [%r4+2], %r1;
    mov.u32 %r5, dynamic;
    add.u32 %r5, %r5, %r2;
    ld.shared.u32 %r6, [%r5];
    ret;
}
"""
KERNEL = """
#include "size.h"
__global__ void rows(float *out) {
    __shared__ float s[32][SIZE];
    s[threadIdx.y][threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
"""


def prove(*words):
    return subprocess.run([BANKRUN, "prove", *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


def expect(done, status, stdout=(), stderr=()):
    command = " ".join(done.args[1:])
    if done.returncode != status:
        problems.append(f"{command}: status {done.returncode} instead of {status}\n{done.stderr}")
    for stream, text, patterns in (("stdout", done.stdout, stdout), ("stderr", done.stderr, stderr)):
        for pattern in (patterns,) if isinstance(patterns, str) else patterns:
            if not re.search(pattern, text, re.MULTILINE):
                problems.append(f"{command}: {stream} does not match: {pattern}\n{text}")
    if status == 2 and done.stdout:
        problems.append(f"{command}: stdout is not empty: {done.stdout}")
    if status == 0 and done.stderr:
        problems.append(f"{command}: stderr is not empty: {done.stderr}")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_text(ptx, folder):
    done = prove(ptx)
    expect(done, 0, [
        "^bankrun prove: .*column.ptx on sm_90$",
        "^--- column -*$", r"^  block 256 \(usual\)$",
        "^  5 accesses: 1 proved free, 2 proved 32-way, 1 depends on s, 1 not proved$",
        r"^    ld.shared.u32 from tile +proved 32-way$",
        "at most 32-way, by s$", "^ +free for odd s$", "^ +s: depends on a parameter",
        "^    st.shared.u32 +not proved$", "^ +index loaded from memory",
        "^  accesses without conflicts$", "^--- empty.. -*$", "^  no accesses to shared memory$",
        "^.usual.: the kernel names no block; --block has others$"])
    if max(map(len, done.stdout.splitlines())) > 100:
        problems.append("lines of more than 100 columns")
    if "\033" in done.stdout or "\033" not in prove(ptx, "--color", "always").stdout:
        problems.append("colours where there should be none, or none")
    # Conflicts come first, the worst before the others; a module without .loc is quoted itself.
    if not re.search(r"column.ptx:22\n +22 \| ld.shared.u32 %r8, \[%r7\];\n +\| \^\n +ld.shared.u32 from tile +proved 32-way",
                     done.stdout):
        problems.append("no line, quote and caret:\n" + done.stdout)
    expect(prove("--verbose", ptx), 0, ["^  accesses that no warp reaches$", "never reached$"])
    expect(prove(ptx, "--block", "16"), 0, ["^  block 16$", "proved 16-way"])
    expect(prove(ptx, "--block=8x8x4"), 0, "^  block 8 x 8 x 4$")
    expect(prove(ptx, "--kernel", "^empty.*$"), 0, "no accesses")
    expect(prove(ptx, "--kernel", "_Z5empty"), 0, "no accesses")
    declared = write(os.path.join(folder, "declared.ptx"), PTX.replace("SHAPE", ".maxntid 96, 1, 1"))
    expect(prove(declared), 0, r"^  block 96 \(__launch_bounds__\)$")
    declared = write(os.path.join(folder, "declared.ptx"), PTX.replace("SHAPE", ".reqntid 8, 2, 1"))
    expect(prove(declared, "--kernel", "column"), 0, r"^  block 8 x 2 \(.reqntid\)$")


def check_narrow(ptx):
    """On a terminal of 72 columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 72, 0, 0))
    process = subprocess.Popen([BANKRUN, "prove", ptx, "--color", "never"], stdout=slave, stdin=slave)
    os.close(slave)
    text = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # all have closed it
            break
        if not part:
            break
        text += part
    os.close(master)
    lines = text.decode().replace("\r", "").splitlines()
    if process.wait() or max(map(len, lines)) > 72:
        problems.append("wider than the terminal: " + max(lines, key=len))
    for wanted in ("  5 accesses: 1 proved free, 2 proved 32-way, 1 depends on s,", "    1 not proved"):
        if wanted not in lines:
            problems.append(f"on a narrow terminal there is no line {wanted!r}:\n" + "\n".join(lines))


def validate(proofs):
    try:
        import jsonschema
    except ImportError:
        return
    with open("docs/prove.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    try:
        jsonschema.validate(proofs, schema)
    except jsonschema.ValidationError as error:
        problems.append(f"the JSON breaks its schema: {error.message}")


def check_formats(ptx, folder):
    text = prove(ptx, "--format", "json").stdout
    proofs = json.loads(text)
    if text != json.dumps(proofs, sort_keys=True) + "\n":
        problems.append("keys of the JSON are not sorted: " + text[:200])
    conditional = [a["bounds"] for p in proofs["proofs"] for a in p["accesses"]
                   if a.get("bounds", {}).get("verdict") == "conditional"]
    if conditional != [{"bytes": 32768, "condition": "stays in tile if parameter 2 (n) is from 0 to 32", "from": 0,
                        "most": 32, "parameter_offset": 8, "verdict": "conditional"}]:
        problems.append(f"conditional: {conditional}")
    verdicts = [a["verdict"] for p in proofs["proofs"] for a in p["accesses"]]
    if sorted(verdicts) != ["depends", "exact", "exact", "exact", "unknown", "unreached"]:
        problems.append(f"verdicts {verdicts}")
    validate(proofs)
    rows = list(csv.DictReader(io.StringIO(prove(ptx, "--format", "csv").stdout, newline="")))
    found = [(row["line"], row["words"], row["degree"], row["free"]) for row in rows]
    if found[:2] != [("22", "proved 32-way", "32", "no"), ("23", "proved 32-way", "32", "no")] or len(rows) != 5:
        problems.append(f"CSV: {found}")
    output = os.path.join(folder, "out.txt")
    expect(prove(ptx, "-o", output), 0)
    with open(output, encoding="utf-8") as file:
        if file.read() != prove(ptx).stdout:
            problems.append("-o wrote something else")
    expect(prove(ptx, "-o", ptx), 2, (), "would write over the input")
    expect(prove(os.path.join(folder, "no.ptx"), "-o", output), 2, (), "No such file")
    if os.path.exists(output):
        problems.append("a failed proof left its file")
    expect(prove(ptx, "-o", os.path.join(folder, "no", "file")), 2, (), "No such file or directory")


def check_gate(ptx):
    expect(prove(ptx, "--fail-on", "excess"), 3, "proved 32-way",
           "^bankrun: --fail-on excess: 4 of 5 accesses are not proved free of conflicts$")
    expect(prove(ptx, "--fail-on", "excess", "--block", "1", "--kernel", "empty"), 0)
    expect(prove(ptx, "--fail-on", "bounds"), 3, "bounds: 3 proved, 1 under a condition, 1 not proved",
           "^bankrun: --fail-on bounds: 2 of 5 accesses are not proved to stay in their arrays, aligned$")
    expect(prove(ptx, "--fail-on", "excess,bounds"), 3, (), ["--fail-on excess: 4 of 5", "--fail-on bounds: 2 of 5"])
    expect(prove(ptx, "--fail-on", "bounds", "--block", "1", "--kernel", "empty"), 0)
    expect(prove(ptx, "--fail-on", "fault"), 2, (), "--fail-on: 'fault' is none of excess, bounds, race")
    expect(prove(ptx, "--fail-on", "bounds,no"), 2, (), "--fail-on: 'no' is none of excess, bounds, race")


def check_bounds(folder):
    """Violations in JSON, and dynamic shared memory, with and without its size."""
    ptx = write(os.path.join(folder, "bounds.ptx"), BOUNDS)
    proofs = json.loads(prove(ptx, "--block", "64", "--format", "json").stdout)
    validate(proofs)
    found = {(a["array"], a["operation"]): a for a in proofs["proofs"][0]["accesses"]}
    wanted = {
        ("first", "store"): {"always": True, "byte": 128, "bytes": 128, "high": 255, "into": "second", "leaves_block": False,
                             "low": 0, "thread": [32, 0, 0], "verdict": "violated"},
        ("second", "store"): {"always": True, "byte": 130, "bytes": 130, "high": 257, "leaves_block": False,
                              "low": 2, "thread": [32, 0, 0], "verdict": "violated"},
        ("dynamic", "load"): {"high": 255, "low": 0, "reason": "the size of dynamic shared memory is not known",
                              "verdict": "unknown"}}
    for key, bounds in wanted.items():
        if found[key]["bounds"] != bounds:
            problems.append(f"bounds of {key}: {found[key]['bounds']}")
    if found["second", "store"]["alignment"] != {"always": True, "thread": [0, 0, 0], "verdict": "violated"}:
        problems.append(f"alignment: {found['second', 'store']['alignment']}")
    expect(prove(ptx, "--block", "64"), 0, [
        "^  bounds: 2 can leave their arrays, 1 proved if dynamic shared memory has 256 bytes;$",
        "^    1 can be misaligned$", "leaves first: thread 32 accesses bytes 128 to 131 of$", "128, which are in second$",
        "never aligned"])
    expect(prove(ptx, "--block", "64", "--shared", "256"), 0, "^  bounds: 1 proved, 2 can leave")
    expect(prove(ptx, "--block", "64", "--shared", "252"), 0, ["^  bounds: 3 can leave", "bytes 252 to 255 of 252"])
    expect(prove(ptx), 0, [r"^  block 32 \(usual, for its arrays\)$", "^  bounds: 2 proved, 1 proved if dynamic"])
    expect(prove(ptx, "--shared", "x"), 2, (), "--shared: 'x' is no number")


def check_messages(ptx, folder):
    for words, message in (
            ((), "prove what"), ((ptx, ptx), "one file at a time"),
            ((ptx, "--block", "0"), "--block: '0' is not of the form N, NxM or NxMxK"),
            ((ptx, "--block", "32x"), "is not of the form"), ((ptx, "--block", "-1"), "is not of the form"),
            ((ptx, "--block", "1x1x1x1"), "is not of the form"),
            ((ptx, "--block", "2048"), "--block: 2048: a block has at most 1024 threads"),
            ((ptx, "--block", "64x32"), "at most 1024 threads"),
            ((ptx, "--kernel", "nothing"), "no kernel of .*column.ptx has a name that 'nothing' matches"),
            ((ptx, "--kernel", "("), r"--kernel: '\('"),
            ((folder,), "Is a directory"), (("README.md",), "neither a CUDA source .* nor an executable"),
            ((sys.executable,), "holds no PTX: rebuild"), ((ptx, "--launch", "x"), "unknown option '--launch'")):
        expect(prove(*words), 2, (), message)
    empty = write(os.path.join(folder, "empty.ptx"), "")
    expect(prove(empty), 2, (), "this is not PTX: it is empty")
    expect(prove(write(empty, ".version 7.0\n.target sm_80\n.address_size 64\n")), 2, (), "has no kernel$")
    broken = write(os.path.join(folder, "broken.ptx"), PTX.replace("SHAPE", "").replace("shl.b32", "shll.b32"))
    expect(prove(broken), 2, (), [r"broken.ptx:\d+:\d+: error: ", r"^    shll.b32", r"^    \^~+"])
    profile = write(os.path.join(folder, "run.json"), '{"schema": "bankrun-profile/1", "bankrun": "0"}')
    expect(prove(profile), 2, (), "is a saved profile")


CALLS = """__device__ __forceinline__ float column(const float *s, int at) {
    return s[32 * at];
}
__global__ void calls(float *out) {
    __shared__ float s[2048];
    s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = column(s, threadIdx.x) +
                       column(s, threadIdx.x + 1);
}
"""


def check_calls(folder):
    """One line that was inlined twice."""
    source = write(os.path.join(folder, "calls.cu"), CALLS)
    done = prove(source, "--block", "32")
    expect(done, 0, ["^  3 accesses: 1 proved free, 2 proved 32-way$", "calls.cu:2$",
                     "^      inlined at .*calls.cu:8 in calls.float..$", "^      inlined at .*calls.cu:9 in calls.float..$"])
    validate(json.loads(prove(source, "--block", "32", "--format", "json").stdout))


def check_many(folder):
    """Lines that conflict are shown up to a number."""
    body = "".join(f"    ld.shared.u32 %r2, [%r1+{128 * i}];\n" for i in range(30))
    text = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry many()\n{\n    .reg .b32 %r<4>;\n" \
           "    .shared .align 4 .b8 s[65536];\n    mov.u32 %r2, %tid.x;\n    mov.u32 %r3, s;\n" \
           f"    mad.lo.u32 %r1, %r2, 128, %r3;\n{body}    ret;\n}}\n"
    source = write(os.path.join(folder, "many.ptx"), text)
    for words, count in ((), 20), (("-v",), 30):
        done = prove(source, *words)
        if len(re.findall("proved 32-way$", done.stdout, re.MULTILINE)) != count + 1:  # and the summary
            problems.append(f"not {count} lines:\n{done.stdout}")
    expect(prove(source), 0, r"^  \.\.\. and 10 more lines that may conflict \(--verbose shows all\)$")


def check_sources(folder):
    os.makedirs(os.path.join(folder, "include"))
    write(os.path.join(folder, "include", "size.h"), "#ifndef SIZE\n#define SIZE 32\n#endif\n")
    source = write(os.path.join(folder, "rows.cu"), KERNEL)
    include = "-I" + os.path.join(folder, "include")
    done = prove(include, source, "--block", "32x32")
    expect(done, 0, ["^bankrun prove: .*rows.cu on sm_90$", r"rows.cu:7$", r"^       7 \| out\[threadIdx.x\] =",
                     "^    ld.shared.f32 from s +proved 32-way$"])
    expect(prove(include, "-DSIZE=33", source, "--fail-on", "excess", "--block", "32x32"), 0, "2 proved free")
    # Two of the usual shapes say the same.
    expect(prove(include, source), 0, [r"^  block 32 x 8, 32 x 32 \(usual\)$", r"^  block 16 x 16 \(usual\)$"])
    expect(prove(source), 2, (), ["size.h", "rows.cu was not compiled: the compiler ended with status"])
    expect(prove(include, source, "--nvcc", "/no/nvcc"), 2, (), "/no/nvcc was not found")
    expect(prove(include, "--nvcc-flag=--version", source), 2, (), "nvcc wrote no PTX")
    template = write(os.path.join(folder, "template.cu"), "template <int N> __global__ void f() {}\n")
    expect(prove(template), 2, (), "template.cu has no kernel; of templates there are those that it instantiates")
    app = os.path.join(folder, "app")
    main = write(os.path.join(folder, "main.cu"), KERNEL + "int main() { rows<<<1, 32>>>(0); }\n")
    for target, status in (("compute_80", 0), ("sm_80", 2)):
        subprocess.run(["nvcc", include, "-lineinfo", "-cudart", "shared", "-gencode",
                        f"arch=compute_80,code={target}", main, "-o", app], check=True)
        done = prove(app, "--block", "32x32")
        if status:
            expect(done, status, (), "app holds no PTX: rebuild it with the flags that bankrun nvcc-flags prints")
        else:
            expect(done, 0, ["^bankrun prove: .*app on sm_90$", "main.cu:7$", "proved 32-way$"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        ptx = write(os.path.join(folder, "column.ptx"), PTX.replace("SHAPE", ""))
        check_text(ptx, folder)
        check_narrow(ptx)
        check_formats(ptx, folder)
        check_gate(ptx)
        check_bounds(folder)
        check_messages(ptx, folder)
        check_many(folder)
        if shutil.which("nvcc"):
            check_sources(folder)
            check_calls(folder)
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
