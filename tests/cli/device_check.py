"""device/bankrun.cuh against the simulator: what its macros count is what bankrun counts.

Three ways: under bankrun, where the report of the macros stands beside the profile; as host C++
without any GPU; and compiled out. tests/device/check.report is the report; on a GPU, tools/gpu_gallery.py
holds it against a real one.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
SOURCE = "tests/device/check.cu"
LINE = re.compile(r"^bankrun: +(\d+) +(\d+) +(\d+) +\d+ +(\d+)  \S+:(\d+): (load|store) ")


def run(*command):
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: {process.stdout}{process.stderr}")
    if "PASS" not in process.stdout and "-o" not in command:
        raise SystemExit(f"{command[0]} did not pass: {process.stdout}")
    return process


def report_of(text):
    return "".join(line + "\n" for line in text.splitlines() if line.startswith("bankrun:  "))


def sums_of(report):
    """{(line, op): [requests, wavefronts, ideal, degree]}"""
    sums = defaultdict(lambda: [0, 0, 0, 0])
    for line in report.splitlines():
        match = LINE.match(line)
        if match:
            row = sums[int(match[5]), match[6]]
            for i in range(3):
                row[i] += int(match[i + 1])
            row[3] = max(row[3], int(match[4]))
    return dict(sums)


def profile_sums(path, lines):
    sums = defaultdict(lambda: [0, 0, 0, 0])
    for launch in json.loads(path.read_text())["launches"]:
        for site in launch["sites"]:
            places = [site] + (site["inlined_at"] or [])
            here = [p["line"] for p in places if p["file"] and p["file"].endswith("check.cu")]
            if site["space"] != "shared" or not here or (here[0], site["op"]) not in lines:
                continue
            row = sums[here[0], site["op"]]
            for i, name in enumerate(("requests", "wavefronts", "ideal")):
                row[i] += site[name] * launch["repeats"]
            row[3] = max(row[3], site["worst_degree"])
    return dict(sums)


def main():
    if not shutil.which("g++"):
        print("g++ is not there")
        return 77
    golden = (ROOT / "tests" / "device" / "check.report").read_text()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        host = Path(folder) / "host"
        run("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pthread", "-x", "c++", "-Idevice",
            "-DBANKRUN", "-DBANKRUN_EMULATE", "-o", str(host), SOURCE)
        if report_of(run(str(host)).stderr) != golden:
            wrong.append("as host C++ it reports something else than tests/device/check.report")
        if not shutil.which("nvcc"):
            print("nvcc is not there: only the host side was tested")
        else:
            profile = Path(folder) / "profile.json"
            checked = subprocess.run(
                [BANKRUN, "-q", "-Idevice", "-DBANKRUN", "--format", "json", "-o", profile, SOURCE],
                capture_output=True, text=True, check=False, cwd=ROOT)
            report = report_of(checked.stderr)
            if checked.returncode or report != golden:
                wrong.append(f"under bankrun it reports something else:\n{checked.stderr}")
            counted, simulated = sums_of(report), profile_sums(profile, sums_of(report))
            for key in sorted(counted):
                if counted[key] != simulated.get(key):
                    wrong.append(f"line {key[0]}, {key[1]}: the macro counts {counted[key]}, "
                                 f"the simulator {simulated.get(key)}")
            print(f"{len(counted)} lines and operations agree with the simulator"
                  if not wrong else "disagrees")
            plain = run(BANKRUN, "-q", "-Idevice", SOURCE)
            if plain.stderr:
                wrong.append(f"compiled out, it says: {plain.stderr}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
