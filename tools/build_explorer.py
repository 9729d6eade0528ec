#!/usr/bin/env python3
"""Builds the WebAssembly modules: docs/explorer/bankrun.wasm with the explorer's index.html, which holds
it, and src/report/html/redraw.wasm, which the pages of bankrun report hold.

Usage: tools/build_explorer.py [FOLDER]     all three into one folder instead
       tools/build_explorer.py --kept FILE  writes the bankrun.wasm that index.html holds: needs nothing

Needs clang, lld, wasi-libc and libclang-rt-14-dev-wasm32 of Debian. Exit status 77: one is missing.
"""

import base64
import gzip
import hashlib
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = "docs/explorer"
# What a question needs of each room; the linker leaves out what nothing calls.
SOURCES = {
    "explorer": ("explorer", "wasm", "write", "lanes"),
    "explain": ("arithmetic", "ask", "cast", "compiled", "declare", "evaluate", "explain", "let", "lexer", "names",
                "parse", "shape", "suggest", "types"),
    "banks": ("architectures", "count", "cycles", "degree", "family", "legacy", "legacy_1", "loop", "once", "phases",
              "schedule", "sectors", "words_x86", "again", "copy", "occupancy"),
    "report": ("drawing",),
    "ir": ("evaluate", "number/convert", "number/narrow", "number/video"),
    "ptx": ("isa_explain", "tables"),
    "base": ("alloc", "arena", "diag", "say", "strbuf", "utf8"),
}
EXPORTS = ("wasm_room", "wasm_answer", "wasm_answer_length")
# The stack holds the requests of a block's 32 warps, and the parser's way into an expression.
FLAGS = ("-Wl,-z,stack-size=1048576",)

# The bank model and the layouts alone: it needs no system.
REDRAW = "src/report/html/redraw.wasm"
REDRAW_SOURCES = {"explorer": ("redraw", "redraw_wasm", "lanes"), "banks": SOURCES["banks"], "fix": ("layout",),
                  "report": ("drawing",)}
REDRAW_EXPORTS = ("redraw_question", "redraw")
REDRAW_FLAGS = ("-Wl,-z,stack-size=65536", "-DNDEBUG")

TARGET = ("--target=wasm32-wasi", "-mexec-model=reactor", "-std=gnu11", "-Os", "-D_GNU_SOURCE", "-ffp-contract=off",
          "-fno-strict-aliasing", "-ffunction-sections", "-fdata-sections", '-DBANKRUN_VERSION="explorer"',
          "-Wl,--gc-sections,--strip-all")
SCRIPTS = ("src/report/html/make.js", "src/report/html/picture.js", PAGE + "/bankrun.mjs", PAGE + "/page.js")
STYLES = ("src/report/html/page.css", PAGE + "/page.css")
MOST_BYTES = 300_000


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def missing():
    """What is not installed; None: nothing."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(["clang", *TARGET, "-x", "c", "-", "-o", os.path.join(folder, "x.wasm")],
                                  input="#include <stdio.h>\n", capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return "clang is not installed"
    return done.stderr.strip() + "\n(apt: clang lld wasi-libc libclang-rt-14-dev-wasm32)" if done.returncode else None


def compile_module(path, rooms, exports, flags):
    sources = [f"{ROOT}/src/{room}/{name}.c" for room, names in rooms.items() for name in names]
    subprocess.run(["clang", *TARGET, *flags, *[f"-Wl,--export={name}" for name in exports], f"-I{ROOT}/src",
                    f"-I{ROOT}/include", *sources, "-o", path], check=True)
    with open(path, "rb") as file:
        return file.read()


def build(explorer, redraw):
    """Compiles both modules into these files; returns the explorer's."""
    compile_module(redraw, REDRAW_SOURCES, REDRAW_EXPORTS, REDRAW_FLAGS)
    return compile_module(explorer, SOURCES, EXPORTS, FLAGS)


def kept_module():
    """The module that the explorer's page holds."""
    packed = re.search(r'id="module">([^<]*)<', read(PAGE + "/index.html")).group(1)
    return gzip.decompress(base64.b64decode(packed))


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page_of(module):
    style = "".join(map(read, STYLES))
    # The parts of the page are one script; scripts from disk may not import each other.
    script = '"use strict";\n' + re.sub(r"^export ", "", "".join(map(read, SCRIPTS)), flags=re.MULTILINE)
    if "</" in script or "</" in read(PAGE + "/tour.json"):
        sys.exit("build_explorer.py: </ ends a script, wherever in it")
    # 'wasm-unsafe-eval' allows WebAssembly, and no script that comes as text.
    policy = (f"default-src 'none'; script-src {digest(script)} 'wasm-unsafe-eval'; style-src {digest(style)}; "
              "base-uri 'none'; form-action 'none'")
    packed = base64.b64encode(gzip.compress(module, 9, mtime=0)).decode()
    page = read(PAGE + "/page.html")
    for mark, value in (("@policy@", policy), ("@style@", style), ("@script@", script),
                        ("@tour@", read(PAGE + "/tour.json")), ("@module@", packed)):
        if page.count(mark) != 1:
            sys.exit(f"build_explorer.py: page.html has no single {mark}")
        page = page.replace(mark, value)
    return page


def main():
    if sys.argv[1:2] == ["--kept"]:
        with open(sys.argv[2], "wb") as file:
            file.write(kept_module())
        return 0
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, PAGE)
    redraw = os.path.join(folder, "redraw.wasm") if len(sys.argv) > 1 else os.path.join(ROOT, REDRAW)
    why = missing()
    if why:
        print(f"the explorer is not built: {why}", file=sys.stderr)
        return 77
    module = build(os.path.join(folder, "bankrun.wasm"), redraw)
    page = page_of(module)
    if len(page) > MOST_BYTES:
        sys.exit(f"build_explorer.py: the page has {len(page)} bytes, and may have {MOST_BYTES}")
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
        file.write(page)
    print(f"bankrun.wasm: {len(module)} bytes; index.html: {len(page)} bytes; redraw.wasm: {os.path.getsize(redraw)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
