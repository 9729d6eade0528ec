"""tools/check_opcodes.py finds a string that decides by an instruction's name, and nothing else."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_opcodes  # noqa: E402

PASSES = """#include "shfl"
// "shfl" in a comment, and '"' alone
/* "ld" */
const char *message = "shfl reads lanes", *part = "shflx", *escaped = "\\"", *dot = ".ld";
"""
FAILS = ['strcmp(opcode, "shfl")', 'strncmp(name, "mov", 3)', '{"vote_ballot", 1},',
         'strcmp(text, "ld.shared.v4.f32")', 'bool is_it = is("bar") /* "x" */;']


def problems_of(root, text):
    """What it says of a tree in which one file holds this text."""
    (root / "src/ir/made_up.c").write_text(text, encoding="utf-8")
    return [p for p in check_opcodes.check(root) if "made_up" in p]


def main():
    wrong = check_opcodes.check(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for room in ("ptx", "ir"):
            (root / "src" / room).mkdir(parents=True)
        rows = (ROOT / "src/ptx/isa.def").read_text(encoding="utf-8")
        (root / "src/ptx/isa.def").write_text(rows, encoding="utf-8")
        wrong += problems_of(root, PASSES)
        for line in FAILS:
            found = problems_of(root, PASSES + line)
            if len(found) != 1 or not found[0].startswith("src/ir/made_up.c:5: "):
                wrong.append(f"{line}: not found: {found}")
        stale = [p for p in check_opcodes.check(root) if "any more" in p]
        if len(stale) < len(check_opcodes.ALLOWED):
            wrong.append("exceptions that nothing needs are not reported")
        command = [sys.executable, ROOT / "tools/check_opcodes.py", root]
        if subprocess.run(command, capture_output=True, check=False).returncode != 1:
            wrong.append("its status does not tell")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
