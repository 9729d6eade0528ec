"""Kind programs: .cu programs of tests/programs and gallery, with golden files.

Beside tests/programs/NAME.cu lie NAME.out (its standard output) and NAME.report (the text report);
those of gallery/NAME.cu are tests/programs/gallery/NAME.*. `--rebase` writes them. Comments in the
source: `// args:` for the program, `// bankrun:` options, `// status:` (0 unless given), `// stderr:`
regular expressions. The report comes from the saved profile, which is held against the schema;
`tables` checks the tables in comments of the gallery.
"""

import json
import os
import re
import shlex
import tempfile

from . import tables
from .case import Case, Failure, Skip, check_sanitizers, diff, shown, tail, text_of

ADDRESS = re.compile(r"0x7[0-9a-f]{11}\b")  # of device memory, where the system put it
DIRECTIVE = re.compile(r"^\s*//\s*(args|bankrun|status|stderr):\s?(.*)$")


def read_directives(path):
    found = {"args": [], "bankrun": [], "status": 0, "stderr": []}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = DIRECTIVE.match(line)
            if not match:
                continue
            word, text = match[1], match[2].strip()
            if word == "status":
                found[word] = int(text)
            elif word == "stderr":
                found[word].append(text)
            else:
                found[word] += shlex.split(text)
    return found


def check_schema(context, profile):
    try:
        import jsonschema
    except ImportError:
        return
    with open(context.path("docs", "profile.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    with open(profile, encoding="utf-8") as file:
        try:
            jsonschema.validate(json.load(file), schema)
        except jsonschema.ValidationError as error:
            raise Failure(f"the profile breaks its schema: {error.message}") from None


def check_golden(context, path, text):
    """Holds a text against a file, or writes the file when rebasing."""
    if context.rebase:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    if not os.path.exists(path):
        raise Failure(f"no {os.path.relpath(path, context.root)}: tests/run.py --rebase writes it")
    with open(path, encoding="utf-8") as file:
        expected = file.read()
    if text != expected:
        raise Failure(diff(expected, text, os.path.relpath(path, context.root)))


def run_program(context, source, golden):
    if not context.nvcc:
        raise Skip("nvcc is not there")
    wants = read_directives(context.path(source))
    with tempfile.TemporaryDirectory(dir=context.scratch) as folder:
        profile = os.path.join(folder, "profile.json")
        command = [context.bankrun, "run", "--format", "json", "-o", profile]
        command += wants["bankrun"] + [source] + wants["args"]
        process = context.execute(command)
        check_sanitizers(process)
        if process.returncode != wants["status"]:
            raise Failure(f"status {process.returncode} instead of {wants['status']}: "
                          f"{shown(command)}\n" + tail(process.stdout + process.stderr))
        for pattern in wants["stderr"]:
            if not re.search(pattern, text_of(process.stderr), re.MULTILINE):
                raise Failure(f"stderr does not match /{pattern}/\n" + tail(process.stderr))
        check_golden(context, golden + ".out", text_of(process.stdout))
        check_schema(context, profile)
        if tables.check(context, source, wants["args"], profile, folder):
            context.execute(command)  # rebased: its lines are others now
        report = context.execute([context.bankrun, "report", profile])
        check_sanitizers(report)
        if report.returncode:
            raise Failure("bankrun report failed\n" + tail(report.stderr))
        if context.sanitizer == "none":  # a sanitizer's allocator moves host memory
            check_golden(context, golden + ".report",
                     ADDRESS.sub("0x7" + 11 * "0", text_of(report.stdout)))


def collect(context):
    cases = []
    for name in context.files("programs", ".cu"):
        source = os.path.join("tests", "programs", name)
        golden = context.path("tests", "programs", name[:-3])
        cases.append(Case("programs", name, lambda s=source, g=golden: run_program(context, s, g)))
    if context.sanitizer == "none":  # full-size runs
        gallery = context.path("gallery")
        for name in sorted(os.listdir(gallery)) if os.path.isdir(gallery) else []:
            if name.endswith(".cu"):
                source = os.path.join("gallery", name)
                golden = context.path("tests", "programs", "gallery", name[:-3])
                cases.append(Case("programs", source,
                                  lambda s=source, g=golden: run_program(context, s, g)))
    return cases
