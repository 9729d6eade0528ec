"""An instruction is one row, what it computes, and one test file (docs/adding-an-instruction.md): three
that no GPU has are added to a copy of the sources in these places alone, built, and run by their test."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

UNUSED = (".git", "truth", "gallery", "bench")  # by the build of the product alone

# turn: a turned to the left. The amount has 32 bits whatever the type is, as a constant and as a
# register. mirror: what lane 31 - n holds. Its lane function reads lanes that it may have written
# before if the result may lie where the source does. leave: the end of a thread.
ROWS = """ISA(turn, bits, "T:b32|b64", "d,s,s:b32", value, NONE, 0)
ISA(mirror, bits, "T:b32", "d,s", mirror, NONE, GATHERS)
FLOW(leave, any, "", "", leave, NONE, SPLITS)
"""

VALUES = """FORM(turn_bits)
VALUE2(turn_b32, OPAQUE, u32, u32, u32, a << (b & 31) | a >> (-b & 31), T(B32))
VALUE2(turn_b64, OPAQUE, u64, u64, u32, a << (b & 63) | a >> (-b & 63), T(B64))
"""

LANES = """
LANES_BODY(mirror_b32) {
    LANES_OUT(u32) LANES_IN(u32, a, 1) LANES_EACH if (full || on[l]) d[l] = a[LANES - 1 - l];
}
LANES_PAIR(mirror_b32)

LANES_SELECT(mirror) {
    return lanes_use(out, mirror_b32);
}
"""

FLOW = """
FLOW_SELECT(leave) {
    out->run[0] = out->run[1] = run_exit;
    return true;
}
"""

TEST = """// launch: k<<<1, 32>>>(out:u64[36])
// expect out: 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
// expect out: 0x34567812 0x3456789abcdef012 0x456789abcdef0123 0xf0123456789abcde
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %n, %a, %i;
    .reg .b64 %out, %b, %at;
    ld.param.u64 %out, [out];
    cvta.to.global.u64 %out, %out;
    mov.u32 %i, %tid.x;
    mad.wide.u32 %at, %i, 8, %out;
    mirror.b32 %a, %i;
    cvt.u64.u32 %b, %a;
    st.global.u64 [%at], %b;
    turn.b32 %a, 0x12345678, 8;
    cvt.u64.u32 %b, %a;
    st.global.u64 [%out+256], %b;
    turn.b64 %b, 0x123456789abcdef0, 8;
    st.global.u64 [%out+264], %b;
    mov.u32 %n, 4;
    turn.b64 %b, %b, %n;
    st.global.u64 [%out+272], %b;
    mov.b64 %b, 0x0123456789abcdef;
    mov.u32 %n, 60;
    turn.b64 %b, %b, %n;
    st.global.u64 [%out+280], %b;
    leave;
    trap;
}
"""

WRONG = {
    "turn.b16 %a, %a, 1;": "error: 'turn' does not take '.b16'",
    "turn.b64 %b, %b, %b;": "error: the register's type does not fit the instruction: '%b'",
    "turn.b64 %b, %b;": "error: 'turn.b64' takes 3 operands, not 2",
    "tunr.b64 %b, %b, 1;": "did you mean 'turn'?",
}


def run(*words, folder):
    done = subprocess.run(words, cwd=folder, check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def insert(path, text, behind):
    old = path.read_text(encoding="utf-8")
    at = old.index("\n", old.index(behind)) + 1 if behind else len(old)
    path.write_text(old[:at] + text + old[at:], encoding="utf-8")


def add_instruction(tree):
    insert(tree / "src/ptx/isa.def", ROWS, "ISA(popc, bits")
    insert(tree / "src/ir/value/bits.def", VALUES, "VALUE1(popc_b64")
    insert(tree / "src/sim/lanes/comm/shuffle.c", LANES, None)
    insert(tree / "src/sim/flow/control.c", FLOW, None)
    (tree / "tests/ptx/turn.ptx").write_text(TEST, encoding="utf-8")


def add_wrong_ones(tree):
    for number, (instruction, message) in enumerate(WRONG.items()):
        body = TEST.replace("turn.b32 %a, 0x12345678, 8;", instruction).split("\n", 3)[3]
        line = body.split("\n").index("    " + instruction) + 1
        yield tree / f"wrong{number}.ptx", body, f":{line}:", message


def check(tree):
    options = ["-Dlanes=plain", "-Doptimization=0", "-Ddebug=false", "-Dtests=false"]
    yield run("meson", "setup", "build", *options, folder=tree)
    yield run("ninja", "-C", "build", "bankrun", folder=tree)
    yield run(sys.executable, "tests/run.py", "--build", "build", "ptx/turn", folder=tree)
    for path, text, place, message in add_wrong_ones(tree):
        path.write_text(text, encoding="utf-8")
        status, output = run("build/bankrun", path.name, "--launch", "k<<<1, 32>>>(out:u64[36])",
                             folder=tree)
        is_named = status == 2 and path.name + place in output and message in output
        yield 0 if is_named else 1, output


def main():
    if os.environ.get("BANKRUN_SANITIZER", "none") != "none":
        print("one build of all sources is enough")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for path in ROOT.iterdir():
            if path.is_dir() and not (path / "build.ninja").exists() and path.name not in UNUSED:
                shutil.copytree(path, tree / path.name, symlinks=True)
            elif path.is_file():
                shutil.copy(path, tree)
        add_instruction(tree)
        for status, output in check(tree):
            if status:
                print(output[-4000:])
                return 1
    return 0


sys.exit(main())
