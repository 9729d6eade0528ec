"""Kind ranks: the programs of kind programs, on three ranks under mpirun, and on one.

Output, exit status and saved profile must be the same, byte by byte, but for addresses of device memory,
which lie elsewhere. Every launch is shared out, whether it is worth it or not. Skipped where there is no
mpirun, or no libbankrun-ranks.so.
"""

import os
import re
import shutil
import tempfile

from .case import Case, Failure, Skip, check_sanitizers, diff, shown, tail, text_of
from .programs import read_directives

RANKS = 3
ADDRESS = re.compile(r"0x(?:7[0-9a-f]|10)[0-9a-f]{10}\b")
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# Where a kernel's own messages go to the program's stderr, mpirun mixes them with its own.
ORDERLY = ["--oversubscribe", "--quiet"]


def mpirun(context):
    if context.sanitizer != "none" or context.wrapper:
        raise Skip("MPI itself is not instrumented")
    command = shutil.which("mpirun", path=context.search_path)
    if not command:
        raise Skip("mpirun is not there (apt-get install openmpi-bin)")
    if not os.path.exists(os.path.join(context.build, "libbankrun-ranks.so")):
        raise Skip("this build has no libbankrun-ranks.so (apt-get install libopenmpi-dev)")
    # As it ends, Open MPI's mpirun gives SIGPIPE its usual effect back, and then writes to threads of its own that may be
    # gone: once in some hundred runs of a busy machine it died of that, with all done and written.
    return ["env", "--ignore-signal=PIPE", *(f"{name}={value}" for name, value in AS_ROOT.items()), "BANKRUN_RANKS_ALL=1",
            command, *ORDERLY, "-n", str(RANKS)]


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8", errors="replace") as file:
        return ADDRESS.sub("ADDRESS", file.read())


def run_program(context, source):
    if not context.nvcc:
        raise Skip("nvcc is not there")
    several = mpirun(context)
    wants = read_directives(context.path(source))
    with tempfile.TemporaryDirectory(dir=context.scratch) as folder:
        outcomes = []
        for start in [], several:
            profile = os.path.join(folder, f"profile{len(outcomes)}.json")
            command = [*start, context.bankrun, "run", "--format", "json", "-o", profile]
            command += wants["bankrun"] + [source] + wants["args"]
            process = context.execute(command)
            check_sanitizers(process)
            outcomes.append((process.returncode, ADDRESS.sub("ADDRESS", text_of(process.stdout)),
                             read(profile), process))
        one, more = outcomes
        if one[0] != more[0]:
            raise Failure(f"status {more[0]} instead of {one[0]}: {shown(command)}\n" + tail(more[3].stderr))
        for what, old, new in (("output", one[1], more[1]), ("profile", one[2], more[2])):
            if old != new:
                raise Failure(diff(old or "", new or "", f"{what} of {source}"))


def collect(context):
    sources = [os.path.join("tests", "programs", name) for name in context.files("programs", ".cu")]
    gallery = context.path("gallery")
    if os.path.isdir(gallery):
        sources += [os.path.join("gallery", name) for name in sorted(os.listdir(gallery))
                    if name.endswith(".cu")]
    return [Case("ranks", source, lambda s=source: run_program(context, s)) for source in sources]
