"""--engine: what is said where kernels cannot be compiled, and that reports and findings do not depend on it."""

import json
import os
import re
import subprocess
import sys
import tempfile

bankrun = os.environ["BANKRUN"]
library = os.path.join(os.environ["BANKRUN_BUILD"], "libbankrun-compile.so")
problems = []

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry turn(.param .u64 turn_out, .param .u32 turn_count)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<5>;
    .shared .align 4 .b8 tile[4096];
    ld.param.u64 %rd1, [turn_out];
    ld.param.u32 %r1, [turn_count];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, tile;
    mad.lo.u32 %r4, %r2, 8, %r3;
    mov.u32 %r5, 0;
    mov.pred %p2, -1;
again:
    mov.pred %p3, %p2;
    st.shared.u32 [%r4], %r5;
    ld.shared.u32 %r6, [%r4];
    @%p3 add.u32 %r6, %r6, 1;
    mov.pred %p2, 0;
    add.u32 %r5, %r6, %r2;
    add.u32 %r1, %r1, -1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra again;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3+REST], %r5;
    ret;
}
"""


def run(path, *options, out="out:u32[64]", turns=100, **environment):
    command = [bankrun, path, "--launch", f"turn<<<GRID, 64>>>({out}, {turns})".replace("GRID", "40"),
               "--format", "json", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def want(what, is_so, process):
    if not is_so:
        problems.append(f"{what}: status {process.returncode}\n{process.stdout[-600:]}{process.stderr[-600:]}")


def launches(process):
    return json.loads(process.stdout)["launches"] if process.returncode == 0 else process.stderr


with tempfile.TemporaryDirectory() as folder:
    good, bad = os.path.join(folder, "good.ptx"), os.path.join(folder, "bad.ptx")
    for path, rest in ((good, "0"), (bad, "8")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(KERNEL.replace("REST", rest))
    nothing = os.path.join(folder, "nothing.so")
    with open(nothing, "w", encoding="utf-8") as file:
        file.write("no library\n")

    usual = run(good, "--engine", "interpret")
    want("interpreted", usual.returncode == 0, usual)
    said = run(good, "--engine", "fast")
    want("an engine that there is none of", said.returncode == 2 and "interpret" in said.stderr, said)
    said = run(good, BANKRUN_ENGINE="fast")
    want("the variable says nothing known", said.returncode == 2 and "BANKRUN_ENGINE=fast" in said.stderr, said)
    for missing in (nothing, os.path.join(folder, "none.so")):
        said = run(good, "--engine", "compile", BANKRUN_COMPILER=missing)
        want("no library", said.returncode == 2 and "cannot be compiled" in said.stderr and missing in said.stderr, said)
        # A run that is long enough for a compiler.
        said = run(good, turns=100000, BANKRUN_COMPILER=missing)
        want("auto goes on without a library", said.returncode == 0 and not said.stderr, said)

    if not os.path.exists(library):
        print("\n".join(problems) or "this build has no libbankrun-compile.so")
        sys.exit(1 if problems else 77)
    same = run(good, "--engine", "compile")
    want("compiled", launches(same) == launches(usual) and not same.stderr, same)
    # Found in PATH, from elsewhere.
    away = subprocess.run(["bankrun", good, "--launch", "turn<<<40, 64>>>(out:u32[64], 100)", "--format", "json", "--engine", "compile"],
                          capture_output=True, text=True, check=False, cwd=folder,
                          env={**os.environ, "PATH": os.path.dirname(os.path.abspath(bankrun)) + ":" + os.environ["PATH"]})
    want("found in PATH", launches(away) == launches(usual), away)
    # Hot enough that it is compiled on the way.
    long = [run(good, "--engine", engine, turns=100000) for engine in ("interpret", "auto")]
    want("compiled on the way", launches(long[0]) == launches(long[1]) and long[0].returncode == 0, long[1])
    # The same access is out of bounds, in the same thread, with the same words. One thread: others have begun blocks, or not.
    faults = [run(bad, "--engine", engine, "--threads", "1") for engine in ("interpret", "compile")]
    texts = [re.sub("0x[0-9a-f]+", "ADDRESS", fault.stderr + fault.stdout) for fault in faults]
    want("a fault", faults[0].returncode != 0 and "thread (" in faults[0].stderr and texts[0] == texts[1], faults[1])

print("\n".join(problems))
sys.exit(1 if problems else 0)
