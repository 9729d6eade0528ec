"""What truth/microbench/tensor_maps.cu says of 2,052 tensor maps and copies, held against an H200."""

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BANKRUN = Path(os.environ.get("BANKRUN", ROOT / "build" / "bankrun")).resolve()
TRUTH = ROOT / "truth" / "h200_tensor_maps.txt.gz"

# Cases that are known to differ: the driver makes maps of this kind for every device.
DIFFER = " wide=1 "
# What bankrun says of the copies that end in an error there.
REASONS = (
    "is of another rank than the instruction",
    "is for im2col mode, the instruction for tile mode",
    "is for tile mode, the instruction for im2col mode",
    "has corners outside of the tensor, which a store may not",
    "the first coordinate of the box is 2, elements of 4 bytes: it may begin at multiples of 16",
    "a store may not begin before the tensor",
    "the box begins outside of the window that the corners of the tensor map set",
    "misaligned write of 128 bytes at shared address 0x",
)


def results(text):
    """What stands behind each case."""
    found, lines = {}, []
    for line in text.splitlines():
        if line.startswith("op="):
            lines = found.setdefault(line, [])
        elif not line.startswith("#"):
            lines.append(line)
    return found


def run(cases):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases"
        path.write_text("\n".join(cases) + "\n", encoding="ascii")
        return subprocess.run([BANKRUN, "-q", "truth/microbench/tensor_maps.cu", path], cwd=ROOT,
                              capture_output=True, text=True, check=False)


def main():
    if not shutil.which("nvcc"):
        print("no nvcc")
        return 77
    expected = results(gzip.decompress(TRUTH.read_bytes()).decode())
    process = run(expected)
    found = results(process.stdout)
    failed = [reason for reason in REASONS if reason not in process.stderr]
    for reason in failed:
        print("bankrun never says:", reason)
    agree = 0
    for case, lines in expected.items():
        if found.get(case) == lines:
            agree += 1
        elif DIFFER not in case + " ":
            failed.append(case)
            print(case, "instead of", *lines, *found.get(case, ["nothing"]), sep="\n")
    print(f"{agree} of {len(expected)} cases are as on the H200")
    if process.returncode:
        print(process.stderr)
    return 1 if failed or process.returncode else 0


sys.exit(main())
