#!/usr/bin/env python3
"""Checks that every #include keeps to the table of rooms, that the faces of the CUDA APIs are only
faces and every source file is compiled, and warns of long files.

Usage: tools/check_includes.py [ROOT]. Prints what breaks the table; exit status 1 then.
       tools/check_includes.py --draw. Prints the table as docs/architecture.md shows it to people.
"""

import os
import re
import sys

# Which rooms a room may include besides itself: those that it does include, and no more. Whoever may
# use a room may name what its headers hand out, too: ir/ir.h has types of ptx and event.
ROOMS = {
    "base": set(),
    "banks": set(),
    "handover": {"base"},
    "ranks": {"base"},
    "ptx": {"base"},
    "event": {"base"},
    "ir": {"event", "ptx", "base"},
    "sim": {"event", "ir", "ptx", "base"},
    "compile": {"sim", "ir", "ptx", "base"},
    "compiled": {"event", "ir", "ptx", "base"},
    "profile": {"event", "banks", "cost", "fix", "ir", "patch", "base"},
    "check": {"profile", "event", "ir", "ptx", "base"},
    "prove": {"profile", "banks", "ir", "ptx", "base"},
    "report": {"profile", "banks", "base"},
    "run": {"sim", "compiled", "check", "prove", "profile", "report", "toolchain", "ptx", "banks", "base"},
    "spread": {"ranks", "run", "compiled", "profile", "base"},
    "toolchain": {"base"},
    "explain": {"ir", "ptx", "banks", "base"},
    "explorer": {"explain", "report", "fix", "base"},
    "cost": {"banks"},
    "fix": {"banks", "base"},
    "patch": {"base"},
    "calibrate": {"banks", "base"},
    "cuda": {"run", "spread", "check", "handover", "sim", "toolchain", "compiled", "profile", "ir", "banks", "base"},
    "cudart": {"cuda", "base"},
    "cudadrv": {"cuda", "sim", "toolchain"},
    "nvml": {"cuda", "toolchain"},
    "cudalibs": {"cuda", "ir", "base"},
    "inject": {"toolchain", "handover", "base"},
    "standin": {"ir", "ptx", "toolchain", "base"},
    "cli": {"base", "banks", "ptx", "sim", "compiled", "profile", "explain", "fix", "patch", "calibrate",
            "report", "run", "toolchain", "handover", "ranks", "spread", "prove", "ir"},
}

# Rooms that have rooms of their own. A file that lies in the room itself may use all of them but the
# doors that stand in CLOSED.
SUBROOMS = {
    "ir": {
        "number": set(),
        "value": set(),
    },
    "sim": {
        "shadow": {"flow", "memory", "tensor"},
        "decode": {"flow", "texture", "shadow"},
        "flow": {"memory"},
        "memory": set(),
        "native": {"flow"},
        "number": set(),
        "texture": {"memory"},
        "tensor": {"flow"},
        "device": {"flow", "memory"},
        "lanes": {"decode", "shadow", "flow", "number", "texture", "tensor"},
    },
    "check": {
        "array": set(),
        "memory": set(),
        "race": set(),
        "schedule": set(),
        "stream": set(),
        "init": set(),
        "sync": set(),
    },
    "run": {
        "api": set(),
    },
    "cuda": {
        "checks": {"core", "memory", "stream", "graph"},
        "core": {"checks", "device", "module", "graph", "texture"},
        "device": {"checks", "core", "module", "stream"},
        "module": {"checks", "core", "memory", "launch"},
        "memory": {"checks", "core", "stream", "graph"},
        "stream": {"checks", "core", "module", "memory", "graph", "launch"},
        "graph": {"checks", "core", "memory", "stream"},
        "launch": {"checks", "core", "module", "stream", "graph"},
        "texture": {"core", "memory"},
    },
}
# Sub-rooms that nobody includes: the lane code's door is sim_target (sim/sim_internal.h).
CLOSED = {"sim/lanes", "run/api"}
# Sub-rooms that know nothing of the room around them.
LEAVES = {"ir/number", "sim/number"}

# Headers of other projects, and the only rooms that may know them.
EXTERNAL = {
    "jansson.h": {"profile", "report", "cli"},
    "zstd.h": {"toolchain"},
    "lz4.h": {"toolchain", "ranks", "spread"},
    "xxhash.h": {"base", "report", "toolchain"},
    "zlib.h": {"cli"},
    "libiberty/demangle.h": {"base"},
}

# The bank model is usable alone: the C standard library and the compiler's own headers.
STANDARD_C = {
    "assert.h", "ctype.h", "errno.h", "float.h", "immintrin.h", "inttypes.h", "limits.h",
    "math.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
}

# What the rooms of the CUDA APIs do not write: which rooms, the files that may, what, and why not.
FACES = {"cudart", "cudadrv"}
UNWRITTEN = (
    (FACES | {"cuda"}, {"src/cuda/core/state.c"}, re.compile(r"&\w+->lock\b"),
     "the state is locked by cuda_lock alone"),
    ({"cuda"}, {"src/cuda/core/abi.h"}, re.compile(r"\bCUDA_API\b"), "the core exports nothing"),
    (FACES, set(), re.compile(r"^\w[\w ]*[ *](?:__)?cu(?:da)?[A-Z]\w*\([^;{]*\);", re.MULTILINE),
     "an exported function is not declared once more: call the core"),
)

MAX_LINES = 600
SOURCE = re.compile(r"'([^']+\.c)'")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def files_below(folder, *endings):
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.join(path, name)


def room_of(include):
    """The room that an include names; banks and run have public headers."""
    if include.startswith("bankrun/"):
        return {"bankrun/banks.h": "banks", "bankrun/bankrun.h": "run"}.get(include, "public")
    first = include.split("/")[0]
    return first if "/" in include and first in ROOMS else None


def subroom_of(path):
    """The sub-room that a path below src lies in ("sim/flow"), or None."""
    parts = path.split("/")
    known = SUBROOMS.get(parts[0], {})
    return f"{parts[0]}/{parts[1]}" if len(parts) > 2 and parts[1] in known else None


def subroom_complaint(path, include):
    """Why a file of a room with sub-rooms may not write this include of its own room, or None."""
    room = path.split("/")[0]
    if room not in SUBROOMS or include.split("/")[0] != room:
        return None
    here, there = subroom_of(path), subroom_of(include)
    if here == there:
        return None
    if there in CLOSED:
        return f"nobody includes {there}"
    if here in LEAVES:
        return f"{here} uses nothing of {room}"
    if here and there and there.split("/")[1] not in SUBROOMS[room][here.split("/")[1]]:
        return f"{here} may not use {there}"
    return None


def complaint(room, quote, include):
    """Why this room may not write this include, or None."""
    target = room_of(include)
    if target == "public" or (target and target != room and target not in ROOMS[room]):
        return f"{room} may not use {target}"
    if quote == '"' and target is None and room != "banks":  # which can be taken out and used alone
        return 'is not written from src, like "base/arena.h"'
    if quote == "<" and target is not None:
        return "a header of ours is written with quotes"
    if quote == "<":
        if room == "banks" and include not in STANDARD_C:
            return "banks uses the C standard library only"
        if include in EXTERNAL and room not in EXTERNAL[include]:
            return f"{room} may not know <{include}>"
    return None


def includes_of(path):
    """The #include lines of a file: number, line, quote, what is included."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if match:
                yield number, line.strip(), *match.groups()


def check_file(path, shown, room):
    problems = []
    inside = os.path.relpath(shown, "src")
    for number, line, quote, include in includes_of(path):
        why = complaint(room, quote, include) or subroom_complaint(inside, include)
        if why:
            problems.append(f"{shown}:{number}: {line}: {why}")
    return problems


def unmade_uses(source):
    """What the table allows and no file does."""
    made = set()
    for path in files_below(source, ".c", ".h", ".def"):
        inside = os.path.relpath(path, source)
        for _, _, _, include in includes_of(path):
            made |= {(inside.split("/")[0], room_of(include)), (inside.split("/")[0], include),
                     (subroom_of(inside), subroom_of(include))}
    allowed = {(room, used) for room, uses in ROOMS.items() for used in uses}
    allowed |= {(f"{room}/{inner}", f"{room}/{used}") for room, rows in SUBROOMS.items()
                for inner, uses in rows.items() for used in uses}
    allowed |= {(room, header) for header, rooms in EXTERNAL.items() for room in rooms}
    return [f"the table lets {room} use {used}, which no file does"
            for room, used in sorted(allowed - made)]


def folders_of(path):
    return {entry.name for entry in os.scandir(path) if entry.is_dir()}


def table_problems(source):
    """Where the table and the folders differ: each room is a row, each row a room."""
    problems = []
    for shown, there, table in [("src", source, ROOMS)] + [
            (f"src/{room}", os.path.join(source, room), rows) for room, rows in SUBROOMS.items()]:
        found = folders_of(there) if os.path.isdir(there) else set()
        problems += [f"{shown}/{name} is no room of the table" for name in sorted(found - set(table))]
        problems += [f"the table has {shown}/{name}, which is no folder"
                     for name in sorted(set(table) - found)]
        problems += [f"the table lets {shown}/{room} use {used}, which is no room"
                     for room, uses in table.items() for used in sorted(uses - set(table))]
    return problems


def uncompiled(source):
    """The .c files that no meson.build below src names."""
    named = set()
    for path in files_below(source, "meson.build"):
        with open(path, encoding="utf-8") as file:
            named |= {os.path.normpath(os.path.join(os.path.dirname(path), name))
                      for line in file for name in SOURCE.findall(line.partition("#")[0])}
    return [path for path in files_below(source, ".c") if os.path.normpath(path) not in named]


def check_unwritten(text, shown, room):
    return [f"{shown}:{text.count(chr(10), 0, match.start()) + 1}: {why}"
            for rooms, exempt, pattern, why in UNWRITTEN if room in rooms and shown not in exempt
            for match in pattern.finditer(text)]


def storey_of(room):
    return 1 + max((storey_of(used) for used in ROOMS[room]), default=-1)


def list_uses(uses, order):
    return " ".join(sorted(uses, key=order.index)) or "nothing"


def drawing():
    """The table as text: the house from its roof to its ground, with the rooms inside of rooms."""
    house = sorted(ROOMS, key=lambda room: (-storey_of(room), room))
    lines, last = [f"{'storey':<8}{'room':<14}may use"], None
    for room in house:
        storey = storey_of(room)
        number, last = "" if storey == last else str(storey), storey
        lines.append(f"{number:<8}{room:<14}{list_uses(ROOMS[room], house)}")
        for inner, uses in SUBROOMS.get(room, {}).items():
            note = " (nobody includes it)" if f"{room}/{inner}" in CLOSED else ""
            if f"{room}/{inner}" in LEAVES:
                note = f" (nor of {room} itself)"
            lines.append(f"{'':<8}  {inner:<12}  {list_uses(uses, list(SUBROOMS[room]))}{note}")
    return "\n".join(lines)


def main():
    if sys.argv[1:] == ["--draw"]:
        print(drawing())
        return 0
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    source = os.path.join(root, "src")
    problems = table_problems(source)
    problems += [f"{os.path.relpath(path, root)}: no meson.build names it, so nothing compiles it"
                 for path in uncompiled(source)]
    checked = 0
    for path in files_below(source, ".c", ".h", ".def"):
        shown = os.path.relpath(path, root)
        room = os.path.relpath(path, source).split(os.sep)[0]
        if room not in ROOMS:
            continue
        problems += check_file(path, shown, room)
        checked += 1
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        problems += check_unwritten(text, shown, room)
        lines = text.count("\n")
        if lines > MAX_LINES and not path.endswith(".def"):
            print(f"{shown}: warning: {lines} lines; more than {MAX_LINES} are two ideas in a file")
    for path in files_below(os.path.join(root, "include"), ".h"):
        problems += check_file(path, os.path.relpath(path, root), "banks")
        checked += 1
    for problem in problems:
        print(problem)
    if not checked:
        print("no source files found")
    return 1 if problems or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
