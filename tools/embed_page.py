#!/usr/bin/env python3
"""Turns the page of the HTML report into C strings: its parts, between which are what each page says
for itself, and the WebAssembly module of its sliders.

Usage: tools/embed_page.py OUTPUT.c MODULE.wasm PAGE.html STYLE.css SCRIPT.js...

The style and the scripts stand in the page itself, and its Content-Security-Policy names their
digests: a browser runs these and nothing else.
"""

import base64
import gzip
import hashlib
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def c_array(name, text):
    values = [str(byte) for byte in text.encode()] + ["0"]
    rows = [", ".join(values[at:at + 32]) for at in range(0, len(values), 32)]
    return f"static const char {name}[] = {{\n" + ",\n".join(rows) + "};\n"


def element_of(module):
    with open(module, "rb") as file:
        packed = base64.b64encode(gzip.compress(file.read(), 9, mtime=0)).decode()
    return f'<script type="text/plain" id="module">{packed}</script>\n'


def main():
    output, module, page, style, *scripts = sys.argv[1:]
    style, script = read(style), '"use strict";\n' + "".join(map(read, scripts))
    if not (style + script).isascii():
        sys.exit("embed_page.py: style and script are ASCII: other characters are written \\u2026")
    if "</" in script:
        sys.exit("embed_page.py: </ ends a script, wherever in it")
    policy = (f"default-src 'none'; script-src {digest(script)}@wasm@; style-src {digest(style)}; "
              "base-uri 'none'; form-action 'none'")
    text = read(page)
    for mark, value in (("@policy@", policy), ("@style@", style), ("@script@", script)):
        if text.count(mark) != 1:
            sys.exit(f"embed_page.py: {page} has no single {mark}")
        text = text.replace(mark, value)
    parts, rest = [], text
    for mark in ("@wasm@", "@data@", "@module@"):
        part, rest = rest.split(mark)
        parts.append(part)
    names = ["part_0", "part_1", "part_2", "part_3"]
    with open(output, "w", encoding="utf-8") as file:
        file.write("// Made by tools/embed_page.py of src/report/html.\n"
                   "extern const char *const report_page_parts[4];\n"
                   "extern const char *const report_page_module;\n"
                   + "".join(map(c_array, names, parts + [rest])) + c_array("module", element_of(module))
                   + f"const char *const report_page_parts[4] = {{{', '.join(names)}}};\n"
                   "const char *const report_page_module = module;\n")


main()
