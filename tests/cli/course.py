"""The course of gallery/README.md: each of its commands runs, and shows what the solutions say."""

import os
import re
import shlex
import shutil
import subprocess
import sys

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
HAS_NVCC = shutil.which("nvcc") is not None

# What a command's output has, by how the command starts.
SHOWN = {
    "bankrun explain 'tile[tid][3]'": [r"32-way conflict", r"all in bank 3"],
    "bankrun explain 'tile[tid][tid]'": [r"\n +0 +1 .*\n +1 +2 .*\n +2 +1 .*\n +3 +4 .*\n +4 +1 "],
    "bankrun -v gallery/strides.cu": [rf"stride<{s}>" for s in (3, 6, 8, 12, 24, 33)],
    "bankrun explain 'words[s * tid]'": [
        rf"\n +{s} +{w} +1 " for s, w in ((3, 1), (6, 2), (8, 8), (12, 4), (24, 8), (33, 1))],
    "bankrun explain 's[tid].x[0]'": [r"\n +6 +2 .*\n +7 +1 .*\n +8 +8 "],
    "bankrun gallery/wide.cu": [r"read_member[^~]*ld.shared.f32 from wide +4 +16 +4 +12"],
    "bankrun --trace gallery/reduction.cu:44:36": [
        r"request 19: .*mask 0xffffffff\n +ld.shared.u32: 8 wavefronts",
        r"request 22: .*mask 0x0000ffff\n +ld.shared.u32: 8 wavefronts",
        r"request 25: .*mask 0x000000ff\n +ld.shared.u32: 8 wavefronts",
        r"request 28: .*mask 0x0000000f\n +ld.shared.u32: 4 wavefronts",
        r"request 36: launch 1, block \(0, 0, 0\)"],
    "bankrun explain 'bins[0]'": [r"warp 0: 32 wavefronts", r"as compiled: 1 wavefront "],
    "bankrun gallery/histogram.cu": [r"gallery/histogram.cu:32: 10-way bank conflict"],
}


def commands(path):
    """The course's commands, in order; those that name a file of one's own are left out."""
    with open(path, encoding="utf-8") as file:
        course = file.read().split("## A course in seven steps")[1].split("## Solutions")[0]
    found = [" ".join(text.split()) for text in re.findall(r"`(bankrun [^`]*)`", course)]
    return [text for text in found if text != "bankrun --fail-on excess"]


def main():
    failures, unused = [], set(SHOWN)
    for command in commands("gallery/README.md"):
        wanted = [key for key in SHOWN if command.startswith(key)]
        unused -= set(wanted)
        if not HAS_NVCC and "gallery/" in command:
            continue
        process = subprocess.run([BANKRUN] + shlex.split(command)[1:], capture_output=True,
                                 text=True, check=False)
        output = process.stdout + process.stderr
        if process.returncode != 0:
            failures.append(f"{command}: status {process.returncode}\n{output[-500:]}")
        failures += [f"{command}: does not show {pattern}" for key in wanted
                     for pattern in SHOWN[key] if not re.search(pattern, output)]
    failures += [f"the course has no command that starts with: {key}" for key in sorted(unused)]
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
