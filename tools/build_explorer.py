#!/usr/bin/env python3
"""Builds the bank explorer: docs/explorer/bankrun.wasm, and index.html with all of it inside.

Usage: tools/build_explorer.py [FOLDER]     (default: docs/explorer)

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
    "explorer": ("explorer", "wasm", "write"),
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
FLAGS = ["--target=wasm32-wasi", "-mexec-model=reactor", "-std=gnu11", "-Os", "-D_GNU_SOURCE", "-ffp-contract=off",
         "-fno-strict-aliasing", "-ffunction-sections", "-fdata-sections", '-DBANKRUN_VERSION="explorer"',
         "-Wl,--gc-sections,--strip-all,-z,stack-size=1048576"]
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
            done = subprocess.run(["clang", *FLAGS, "-x", "c", "-", "-o", os.path.join(folder, "x.wasm")],
                                  input="#include <stdio.h>\n", capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return "clang is not installed"
    return done.stderr.strip() + "\n(apt: clang lld wasi-libc libclang-rt-14-dev-wasm32)" if done.returncode else None


def compile_module(path):
    sources = [f"{ROOT}/src/{room}/{name}.c" for room, names in SOURCES.items() for name in names]
    subprocess.run(["clang", *FLAGS, *[f"-Wl,--export={name}" for name in EXPORTS], f"-I{ROOT}/src",
                    f"-I{ROOT}/include", *sources, "-o", path], check=True)


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
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, PAGE)
    why = missing()
    if why:
        print(f"the explorer is not built: {why}", file=sys.stderr)
        return 77
    path = os.path.join(folder, "bankrun.wasm")
    compile_module(path)
    with open(path, "rb") as file:
        module = file.read()
    page = page_of(module)
    if len(page) > MOST_BYTES:
        sys.exit(f"build_explorer.py: the page has {len(page)} bytes, and may have {MOST_BYTES}")
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
        file.write(page)
    print(f"bankrun.wasm: {len(module)} bytes; index.html: {len(page)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
