"""What truth/microbench/texture.cu fetches, held against what an H200 returned."""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BANKRUN = Path(os.environ.get("BANKRUN", ROOT / "build" / "bankrun")).resolve()
TRUTH = ROOT / "truth" / "h200_textures.txt.gz"

# Everything else is exact. The first prefix that fits counts: how many fetches of 64 may differ.
DIFFER = (
    ("grad cube", 45), ("grad acube", 45),  # levels from gradients are approximations
    ("grad", 16), ("lod clamps 6", 8),
    ("cube linear seamless", 8), ("acube linear seamless", 8),  # corners
    ("lod cube", 2), ("lod acube", 2),  # on the edge of two faces
    ("trilinear 3 srgb", 8), ("trilinear 2", 4), ("trilinear 1", 4),  # 16 texels: the last bit
)


def cases(text):
    parts = text.split("case ")[1:]
    return {part.split("\n", 1)[0]: part.splitlines()[1:] for part in parts}


def allowed(name):
    return next((most for prefix, most in DIFFER if name.startswith(prefix)), 0)


def main():
    if not shutil.which("nvcc"):
        print("no nvcc")
        return 77
    process = subprocess.run([BANKRUN, "-q", "truth/microbench/texture.cu"], cwd=ROOT,
                             capture_output=True, text=True, check=False)
    if process.returncode:
        print(process.stderr)
        return 1
    expected = cases(gzip.decompress(TRUTH.read_bytes()).decode())
    found = cases(process.stdout)
    failed, total, exact = 0, 0, 0
    if set(expected) != set(found):
        print("other cases:", sorted(set(expected) ^ set(found)))
        failed = 1
    for name, lines in expected.items():
        got = found.get(name, [])
        different = sum(a != b for a, b in zip(lines, got)) + abs(len(lines) - len(got))
        total += len(lines)
        exact += len(lines) - different
        if different > allowed(name):
            first = next(i for i, (a, b) in enumerate(zip(lines, got)) if a != b)
            print(f"{name}: {different} of {len(lines)} differ, {allowed(name)} may; "
                  f"fetch {first}: {got[first]} instead of {lines[first]}")
            failed += 1
    print(f"{exact} of {total} fetches are those of the H200, bit for bit")
    return 1 if failed else 0


sys.exit(main())
