"""BANKRUN_LANES: native code and the interpreter for plainer machines than this one have the same reports.

A machine that has no wider lanes than these runs what it runs anyway.
"""

import os
import subprocess
import sys
import tempfile

bankrun = os.environ["BANKRUN"]
tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
problems = []
has_compiler = os.path.exists(os.path.join(os.environ["BANKRUN_BUILD"], "libbankrun-compile.so"))


def run(program, lanes, engine, folder):
    """The report of a program, and the lanes of which doctor speaks."""
    env = {**os.environ, "BANKRUN_LANES": lanes}
    profile = os.path.join(folder, f"{os.path.basename(program)}-{lanes}-{engine}.json")
    done = subprocess.run([bankrun, "--engine", engine, "--as", "written", "--format", "json", "-o", profile, program],
                          capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        problems.append(f"{program}, {lanes}, {engine}: status {done.returncode}: {done.stderr[-400:]}")
        return None
    with open(profile, encoding="utf-8") as file:
        return done.stdout, file.read()


with tempfile.TemporaryDirectory() as folder:
    for name in ("strided", "parted"):
        program = os.path.join(tests, "programs", name + ".cu")
        wanted = run(program, "", "interpret", folder)
        for lanes in ("base", "avx2"):
            for engine in ("interpret", "compile") if has_compiler else ("interpret",):
                if run(program, lanes, engine, folder) != wanted:
                    problems.append(f"{name} with lanes {lanes} by {engine}: another report")

said = subprocess.run([bankrun, "doctor"], capture_output=True, text=True, check=False,
                      env={**os.environ, "BANKRUN_LANES": "base"}).stdout
if os.uname().machine == "x86_64" and "BANKRUN_LANES says so" not in said:
    problems.append("doctor does not say why lanes are narrow: " + said[:1500])

for problem in problems:
    print(problem)
sys.exit(bool(problems))
