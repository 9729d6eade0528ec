"""tools/check_includes.py: what breaks the table of rooms is reported, and nothing else."""

import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.getcwd()
TOOL = os.path.join(ROOT, "tools", "check_includes.py")
sys.path.insert(0, os.path.dirname(TOOL))
import check_includes  # noqa: E402

problems = []


def check(house, *wanted):
    """Holds what the tool says of a tree against parts of its lines."""
    done = subprocess.run([sys.executable, TOOL, house], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != (1 if wanted else 0) or len(lines) != len(wanted) or \
            any(not any(want in line for line in lines) for want in wanted):
        problems.append(f"wanted {wanted}: status {done.returncode}\n{done.stdout}{done.stderr}")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")


def check_source(house, path, text, *wanted):
    """The same, with one more file for the time being."""
    path = os.path.join(house, path)
    write(path, text)
    check(house, *wanted)
    os.remove(path)


def make_house(house):
    """All rooms of the table, a file in one of them, and x.c may be compiled in all."""
    for room in check_includes.ROOMS:
        for inner in check_includes.SUBROOMS.get(room, [""]):
            os.makedirs(os.path.join(house, "src", room, inner))
            write(os.path.join(house, "src", room, inner, "meson.build"), "files('arena.c', 'x.c')")
        write(os.path.join(house, "src", room, "meson.build"), "files('arena.c', 'x.c')")
    write(os.path.join(house, "src", "base", "arena.c"), '#include <stdlib.h>\n#include "base/arena.h"')


def check_house(house):
    check(house)
    check_source(house, "src/ptx/x.c", '#include "base/arena.h"')
    check_source(house, "src/ptx/x.c", '#include "sim/sim.h"',
                 'src/ptx/x.c:1: #include "sim/sim.h": ptx may not use sim')
    check_source(house, "src/ptx/x.c", '#include "arena.h"', "is not written from src")
    check_source(house, "src/ptx/x.c", "#include <base/arena.h>", "is written with quotes")
    check_source(house, "src/sim/x.c", "#include <jansson.h>", "sim may not know <jansson.h>")
    check_source(house, "src/banks/x.c", "#include <pthread.h>", "C standard library only")
    check_source(house, "src/sim/x.c", '#include "sim/flow/warp.h"')
    check_source(house, "src/sim/x.c", '#include "sim/lanes/lanes.h"', "nobody includes sim/lanes")
    check_source(house, "src/sim/memory/x.c", '#include "sim/texture/access.h"',
                 "sim/memory may not use sim/texture")
    check_source(house, "src/sim/number/x.c", '#include "sim/sim.h"', "sim/number uses nothing of sim")
    check_source(house, "src/sim/number/x.c", '  #  include   "sim/flow/warp.h"',
                 "sim/number uses nothing of sim")


def check_builds(house):
    """A file that nothing compiles, and one that another folder's meson.build names."""
    check_source(house, "src/ptx/y.c", "", "src/ptx/y.c: no meson.build names it")
    write(os.path.join(house, "src", "sim", "number", "meson.build"), "files('../../ptx/y.c') # 'z.c'")
    check_source(house, "src/ptx/y.c", "")
    check_source(house, "src/sim/number/z.c", "", "src/sim/number/z.c: no meson.build names it")


def check_faces(house):
    """What the rooms of the CUDA APIs leave to each other."""
    check_source(house, "src/cudadrv/x.c", "enum cuda_error cudaFree(void *pointer);",
                 "src/cudadrv/x.c:1: an exported function is not declared once more")
    check_source(house, "src/cudart/x.c", "CUDA_API const char *cudaGetErrorName(int error,\n  int b);",
                 "is not declared once more")
    check_source(house, "src/cudart/x.c", "int f(void) {\n    return cudaFree(NULL);\n}")
    check_source(house, "src/cudart/x.c", "int f(void) {\n    lock(&state->lock);\n}",
                 "src/cudart/x.c:2: the state is locked by cuda_lock alone")
    check_source(house, "src/cuda/x.c", "CUDA_API int f(void) {\n}", "the core exports nothing")


def check_table(house):
    os.makedirs(os.path.join(house, "src", "shed"))
    os.makedirs(os.path.join(house, "src", "sim", "attic"))
    shutil.rmtree(os.path.join(house, "src", "explain"))
    shutil.rmtree(os.path.join(house, "src", "sim", "tensor"))
    check(house, "src/shed is no room", "src/sim/attic is no room", "src/explain, which is no folder",
          "src/sim/tensor, which is no folder")


def main():
    with tempfile.TemporaryDirectory() as house:
        make_house(house)
        check_house(house)
        check_builds(house)
        check_faces(house)
        check_table(house)
        check(os.path.join(house, "nowhere"), *["which is no folder"] * sum(
            map(len, [check_includes.ROOMS, *check_includes.SUBROOMS.values()])), "no source files")
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
