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
        names = re.findall(r"^\[  FAILED  \] (\w+)$", output, re.MULTILINE)
        raise Failure(f"status {process.returncode}, failed: {', '.join(names) or 'all'}\n"
                      + tail(process.stdout + process.stderr, 40))
    if not passed and not skipped:
        raise Failure("ran no test\n" + tail(process.stdout + process.stderr))
    return passed, skipped


def run_fuzz(context, program, corpus):
    files = sorted(os.path.join(corpus, name) for name in os.listdir(corpus))
    if not files:
        raise Failure("the corpus is empty")
    process = context.execute([program] + files, checks_leaks=True)
    check_sanitizers(process)
    if process.returncode:
        raise Failure(f"status {process.returncode}\n" + tail(process.stderr))


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
    units = os.path.join(context.build, "tests", "unit")
    for name in sorted(os.listdir(units)) if os.path.isdir(units) else []:
        program = os.path.join(units, name)
        if name.startswith("test_") and os.path.isfile(program) and os.access(program, os.X_OK):
            cases.append(Case("unit", name, lambda p=program: run_unit(context, p)))
    corpora = context.path("tests", "fuzz", "corpus")
    for name in sorted(os.listdir(corpora)) if os.path.isdir(corpora) else []:
        program = os.path.join(context.build, "tests", "fuzz", "fuzz_" + name)
        folder = os.path.join(corpora, name)
        cases.append(Case("fuzz", name, lambda p=program, f=folder: run_fuzz(context, p, f)))
    for name in context.files("cli", ".sh", ".py"):
        if not name.startswith("lib"):
            path = os.path.join("tests", "cli", name)
            cases.append(Case("cli", name, lambda p=path: run_script(context, p)))
    return cases
