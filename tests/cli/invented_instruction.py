"""An instruction is one row, one lane function and one test file (docs/adding-an-instruction.md): one
that no GPU has is added to a copy of the sources in these three places, built, and run by its test."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Turns a to the left. The amount has 32 bits whatever the type is, as a constant and as a register.
ROW = 'ISA(turn, bits, "T:b32|b64", "d,s,s:b32", turn, NONE, 0)\n'

LANES = """
LANES2(turn_b32, u32, u32, u32, a << (b & 31) | a >> (-b & 31))
LANES2(turn_b64, u64, u64, u32, a << (b & 63) | a >> (-b & 63))

LANES_SELECT(turn) {
    static lanes_table table = {[PTX_B32] = turn_b32, [PTX_B64] = turn_b64};
    return lanes_by_type(out, ir, table);
}
"""

TEST = """// launch: k<<<1, 32>>>(out:u64[4])
// expect out: 0x34567812 0x3456789abcdef012 0x456789abcdef0123 0xf0123456789abcde
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %n, %a;
    .reg .b64 %out, %b;
    ld.param.u64 %out, [out];
    cvta.to.global.u64 %out, %out;
    turn.b32 %a, 0x12345678, 8;
    cvt.u64.u32 %b, %a;
    st.global.u64 [%out], %b;
    turn.b64 %b, 0x123456789abcdef0, 8;
    st.global.u64 [%out+8], %b;
    mov.u32 %n, 4;
    turn.b64 %b, %b, %n;
    st.global.u64 [%out+16], %b;
    mov.b64 %b, 0x0123456789abcdef;
    mov.u32 %n, 60;
    turn.b64 %b, %b, %n;
    st.global.u64 [%out+24], %b;
    ret;
}
"""

WRONG = {
    "turn.b16 %a, %a, 1;": "error",
    "turn.b64 %b, %b, %b;": "error: the register's type does not fit the instruction: '%b'",
    "turn.b64 %b, %b;": "error: 'turn.b64' takes 3 operands, not 2",
    "tunr.b64 %b, %b, 1;": "turn",  # what may have been meant
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
    insert(tree / "src/ptx/isa.def", ROW, "ISA(popc, bits")
    insert(tree / "src/sim/lanes/op/bits.c", LANES, None)
    (tree / "tests/ptx/turn.ptx").write_text(TEST, encoding="utf-8")


def add_wrong_ones(tree):
    for number, (instruction, message) in enumerate(WRONG.items()):
        body = TEST.replace("turn.b32 %a, 0x12345678, 8;", instruction).split("\n", 2)[2]
        line = body.split("\n").index("    " + instruction) + 1
        yield tree / f"wrong{number}.ptx", body, f":{line}:", message


def check(tree):
    options = ["-Dbaseline=true", "-Doptimization=0", "-Ddebug=false", "-Dtests=false"]
    yield run("meson", "setup", "build", *options, folder=tree)
    yield run("ninja", "-C", "build", "bankrun", folder=tree)
    yield run(sys.executable, "tests/run.py", "--build", "build", "ptx/turn", folder=tree)
    for path, text, place, message in add_wrong_ones(tree):
        path.write_text(text, encoding="utf-8")
        status, output = run("build/bankrun", path.name, "--launch", "k<<<1, 32>>>(out:u64[4])",
                             folder=tree)
        is_named = status == 2 and path.name + place in output and message in output
        yield 0 if is_named else 1, output


def main():
    if os.environ.get("BANKRUN_SANITIZER", "none") != "none":
        print("one build of all sources is enough")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in ("src", "include", "docs", "completions", "tests"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("*.gz"))
        for path in ROOT.glob("meson*"):
            shutil.copy(path, tree)
        add_instruction(tree)
        for status, output in check(tree):
            if status:
                print(output[-4000:])
                return 1
    return 0


sys.exit(main())
