#!/usr/bin/env python3
"""Builds the programs of tests/programs and gallery for the GPU of this machine, runs them there,
and holds what they print against the golden files that bankrun's runs are held against.

Needs nvcc and a GPU. Prints one line for each program and exits with 1 where one disagrees; 77
where there is no GPU. A comment `// gpu: no, WHY` leaves a program out.

    tools/gpu_programs.py [FILE.cu ...]
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from harness.programs import read_directives  # noqa: E402


def golden_of(source):
    folder = ROOT / "tests" / "programs"
    if source.parent.name == "gallery":
        folder = folder / "gallery"
    return folder / (source.stem + ".out")


def run(source, folder):
    """None when the GPU prints what is expected, else what is wrong."""
    wants = read_directives(source)
    golden = golden_of(source)
    if not golden.exists():
        return "has no golden file"
    program = Path(folder) / source.stem
    options = wants["bankrun"]
    arch = options[options.index("--arch") + 1] if "--arch" in options else "native"
    target = [f"-gencode=arch={arch.replace('sm', 'compute')},code={arch}"] if "sm_" in arch else \
        ["-arch=native"]
    libraries = [option for option in options if option.startswith("-l")]
    build = subprocess.run(["nvcc"] + target + ["-rdc=true", "-o", program, source] + libraries,
                           capture_output=True, text=True, check=False)
    if build.returncode:
        return build.stderr
    process = subprocess.run([program] + wants["args"], capture_output=True, text=True,
                             check=False, timeout=120)
    if process.returncode != wants["status"]:
        return f"status {process.returncode} instead of {wants['status']}\n{process.stdout}{process.stderr}"
    expected = golden.read_text(encoding="utf-8")
    if process.stdout != expected:
        lines = zip(expected.splitlines(), process.stdout.splitlines())
        return "\n".join(f"    expected {a}\n    got      {b}" for a, b in lines if a != b) \
            or "another number of lines"
    return None


def main():
    gpu = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False) \
        if shutil.which("nvidia-smi") else None
    if gpu is None or gpu.returncode:
        print("no GPU")
        return 77
    print(gpu.stdout.strip())
    failed = 0
    paths = [Path(a).resolve() for a in sys.argv[1:]] or \
        sorted((ROOT / "tests" / "programs").glob("*.cu")) + sorted((ROOT / "gallery").glob("*.cu"))
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            if "\n// gpu: no" in path.read_text(encoding="utf-8"):
                print(f"left out {path.name}")
                continue
            wrong = run(path, folder)
            failed += wrong is not None
            print(f"{'disagree' if wrong else 'agree   '} {path.name}" + (f": {wrong}" if wrong else ""),
                  flush=True)
    print(f"{len(paths) - failed} agree, {failed} disagree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
