"""Kinds unit, fuzz and cli: programs that judge themselves."""

import os
import re
import tempfile

from .case import Case, Failure, Skip, check_sanitizers, shown, tail, text_of


def run_unit(context, program):
    process = context.execute([program], checks_leaks=True)
    check_sanitizers(process)
    output = text_of(process.stdout + process.stderr)
    passed = len(re.findall(r"^\[\s+OK \]", output, re.MULTILINE))
    skipped = len(re.findall(r"^\[\s+SKIPPED\s*\] \w+$", output, re.MULTILINE))
    if process.returncode:
        names = sorted(set(re.findall(r"^\[  FAILED  \] (\w+)$", output, re.MULTILINE)))
        raise Failure(f"status {process.returncode}, failed: {', '.join(names) or 'all'}\n"
                      + tail(process.stdout + process.stderr, 40))
    if not passed and not skipped:
        raise Failure("ran no test\n" + tail(process.stdout + process.stderr))
    return passed, skipped


# Folders that hold what a fuzz target reads, beside tests/fuzz/corpus/NAME.
MORE_FUZZ_FILES = {"ptx": ("ptx", "diag", "limits"), "ir": ("ptx", "diag", "limits"),
                   "run": ("ptx", "diag", "limits"), "check": ("ptx", "limits")}
CORPUS = {"check": "run"}  # folders of targets that have none of their own


def fuzz_files(context, name):
    folders = [("fuzz", "corpus", CORPUS.get(name, name))] + [(f,) for f in MORE_FUZZ_FILES.get(name, ())]
    files = []
    for folder in folders:
        path = context.path("tests", *folder)
        if os.path.isdir(path):
            files += sorted(entry.path for entry in os.scandir(path) if entry.is_file())
    return files


def run_fuzz(context, program, name):
    files = fuzz_files(context, name)
    if not files:
        raise Failure("has no corpus")
    process = context.execute([program] + files, checks_leaks=True)
    check_sanitizers(process)
    if process.returncode:
        raise Failure(f"status {process.returncode}\n" + tail(process.stderr))


def run_mutants(context, program, first, options):
    """A few of the kernels that tests/fuzz/README.md says how to make many of."""
    count = "300"
    with tempfile.TemporaryDirectory(dir=context.scratch) as folder:
        last = os.path.join(folder, "last.ptx")
        files = [file for file in fuzz_files(context, "run") if "/tests/diag/" not in file]
        process = context.execute([program] + options + [last, first, count] + files, checks_leaks=True)
        check_sanitizers(process)
        if process.returncode or f"{count} of " not in text_of(process.stdout):
            with open(last, encoding="utf-8", errors="replace") as file:
                raise Failure(f"status {process.returncode}\n{tail(process.stderr)}{file.read()}")


def run_proofs(context, program, count=200):
    """A few of the kernels that tests/fuzz/README.md says how to make many of."""
    process = context.execute([program, "1", str(count)], checks_leaks=True)
    check_sanitizers(process)
    if process.returncode or f"{count} kernels" not in text_of(process.stdout):
        raise Failure(f"status {process.returncode}\n" + tail(process.stdout + process.stderr, 400))


def saved_seeds(context, name):
    """Of tests/fuzz/NAME.seeds: what once failed."""
    with open(context.path("tests", "fuzz", name + ".seeds"), encoding="utf-8") as lines:
        return [int(line.split()[0]) for line in lines if line.strip() and not line.startswith("#")]


def run_engines(context, program):
    """Random kernels by the interpreter and as native code."""
    library = os.path.join(context.build, "libbankrun-compile.so")
    if not os.path.exists(library):
        raise Skip("this build has no libbankrun-compile.so")
    for first, count in [(1, 100)] + [(seed, 1) for seed in saved_seeds(context, "engines")]:
        process = context.execute([program, str(first), str(count)], env={"BANKRUN_COMPILER": library})
        check_sanitizers(process)
        if process.returncode or f"{count} kernels" not in text_of(process.stdout):
            raise Failure(f"status {process.returncode}\n" + tail(process.stdout + process.stderr, 400))


def run_script(context, path):
    with tempfile.TemporaryDirectory(dir=context.scratch) as folder:
        interpreter = ["python3"] if path.endswith(".py") else ["bash"]
        process = context.execute(interpreter + [path],
                                  env={"TMPDIR": folder})
    if process.returncode == 77:
        raise Skip((text_of(process.stdout + process.stderr).strip().splitlines() or ["?"])[-1])
    check_sanitizers(process)
    if process.returncode:
        raise Failure(f"status {process.returncode}: {shown(interpreter + [path])}\n"
                      + tail(process.stdout + process.stderr, 40))


def collect(context):
    cases = []
    for folder, kind in (("unit", "test_"), ("fuzz", "fuzz_")):
        for source in context.files(folder, ".c"):
            name = source[:-2]
            if not name.startswith(kind):
                continue
            target = os.path.join("tests", folder, name)
            program = os.path.join(context.build, target)
            if kind == "test_":
                cases.append(Case("unit", name, lambda p=program: run_unit(context, p), target))
            else:
                name = name[len(kind):]
                cases.append(Case("fuzz", name, lambda p=program, n=name: run_fuzz(context, p, n),
                                  target))
    mutants = os.path.join("tests", "fuzz", "mutants")
    program = os.path.join(context.build, mutants)
    cases.append(Case("fuzz", "mutants", lambda: run_mutants(context, program, "1", []), mutants))
    cases.append(Case("fuzz", "checked mutants",
                      lambda: run_mutants(context, program, "100001", ["--check"]), mutants))
    prove = os.path.join("tests", "fuzz", "prove")
    cases.append(Case("fuzz", "prove",
                      lambda: run_proofs(context, os.path.join(context.build, prove)), prove))
    every = os.path.join("tests", "fuzz", "every_block")
    cases.append(Case("fuzz", "every_block",
                      lambda: run_proofs(context, os.path.join(context.build, every)), every))
    races = os.path.join("tests", "fuzz", "races")
    cases.append(Case("fuzz", "races",
                      lambda: run_proofs(context, os.path.join(context.build, races), 60), races))
    engines = os.path.join("tests", "fuzz", "engines")
    cases.append(Case("fuzz", "engines",
                      lambda: run_engines(context, os.path.join(context.build, engines)), engines))
    for name in context.files("cli", ".sh", ".py"):
        if not name.startswith("lib"):
            path = os.path.join("tests", "cli", name)
            cases.append(Case("cli", name, lambda p=path: run_script(context, p)))
    return cases
