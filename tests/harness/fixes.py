"""Kind fix: what `bankrun fix` makes of the sources of tests/fix, with golden files.

Beside tests/fix/NAME.cu lies NAME.fixed: what is said on stderr and, behind an empty line, the diff on
stdout. `--rebase` writes it. Comments in the source: `// bankrun:` options, `// args:` for the program,
`// status:` (0 unless given). The edited source is run once more and must not be edited again, if all of
it was mended; bankrun has held its output against that of the source itself.
"""

import os
import shutil
import subprocess
import tempfile

from .case import Case, Failure, Skip, check_sanitizers, shown, tail, text_of
from .programs import check_golden, read_directives


def fix(context, options, source, args, status):
    command = [context.bankrun, "fix", *options, source, *args]
    process = context.execute(command)
    check_sanitizers(process)
    if process.returncode != status:
        raise Failure(f"status {process.returncode} instead of {status}: {shown(command)}\n"
                      + tail(process.stdout + process.stderr, 60))
    return text_of(process.stderr), text_of(process.stdout)


def run_case(context, name):
    if not context.nvcc:
        raise Skip("nvcc is not there")
    source = os.path.join("tests", "fix", name)
    wants = read_directives(context.path(source))
    said, diff = fix(context, wants["bankrun"], source, wants["args"], wants["status"])
    check_golden(context, context.path("tests", "fix", name[:-3] + ".fixed"), said + "\n" + diff)
    if not diff or wants["status"]:
        return
    with tempfile.TemporaryDirectory(dir=context.scratch) as folder:
        shutil.copytree(context.path("tests", "fix"), os.path.join(folder, "tests", "fix"))
        patch = subprocess.run(["patch", "--quiet", "-p1", "-d", folder], input=diff.encode(), check=False)
        if patch.returncode:
            raise Failure("patch does not take the diff")
        fixed = os.path.join(folder, source)
        said, diff = fix(context, wants["bankrun"] + ["--no-check"], fixed, wants["args"], 0)
        if diff:
            raise Failure("the fixed source is fixed once more:\n" + said + diff)


def collect(context):
    return [Case("fix", name[:-3], lambda n=name: run_case(context, n))
            for name in context.files("fix", ".cu")]
