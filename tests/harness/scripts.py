"""Kinds unit, fuzz and cli: programs that judge themselves."""

import os
import re
import tempfile

from .case import Case, Failure, Skip, check_sanitizers, shown, tail, text_of


def run_unit(context, program):
    if not os.path.exists(program):
        raise Failure("was not built: is it listed in tests/unit/meson.build?")
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


def run_fuzz(context, program, corpus):
    if not os.path.exists(program):
        raise Failure("was not built: is it listed in tests/fuzz/meson.build?")
    is_there = os.path.isdir(corpus)
    files = sorted(os.path.join(corpus, name) for name in os.listdir(corpus)) if is_there else []
    if not files:
        raise Failure("has no corpus")
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
    for folder, kind in (("unit", "test_"), ("fuzz", "fuzz_")):
        for source in context.files(folder, ".c"):
            name = source[:-2]
            if not name.startswith(kind):
                continue
            program = os.path.join(context.build, "tests", folder, name)
            if kind == "test_":
                cases.append(Case("unit", name, lambda p=program: run_unit(context, p)))
            else:
                name = name[len(kind):]
                corpus = context.path("tests", "fuzz", "corpus", name)
                cases.append(Case("fuzz", name,
                                  lambda p=program, c=corpus: run_fuzz(context, p, c)))
    for name in context.files("cli", ".sh", ".py"):
        if not name.startswith("lib"):
            path = os.path.join("tests", "cli", name)
            cases.append(Case("cli", name, lambda p=path: run_script(context, p)))
    return cases
