#!/usr/bin/env python3
"""Turns the page of the HTML report into two C strings: all up to its data, and what follows them.

Usage: tools/embed_page.py OUTPUT.c PAGE.html STYLE.css SCRIPT.js...

The style and the scripts stand in the page itself, and its Content-Security-Policy names their
digests: a browser runs these and nothing else.
"""

import base64
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
    return f"const char {name}[] = {{\n" + ",\n".join(rows) + "};\n"


def main():
    output, page, style, *scripts = sys.argv[1:]
    style, script = read(style), '"use strict";\n' + "".join(map(read, scripts))
    if not (style + script).isascii():
        sys.exit("embed_page.py: style and script are ASCII: other characters are written \\u2026")
    if "</" in script:
        sys.exit("embed_page.py: </ ends a script, wherever in it")
    policy = (f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; "
              "base-uri 'none'; form-action 'none'")
    text = read(page)
    for mark, value in (("@policy@", policy), ("@style@", style), ("@script@", script)):
        if text.count(mark) != 1:
            sys.exit(f"embed_page.py: {page} has no single {mark}")
        text = text.replace(mark, value)
    head, tail = text.split("@data@")
    with open(output, "w", encoding="utf-8") as file:
        file.write("// Made by tools/embed_page.py of src/report/html.\n"
                   "extern const char report_page_head[], report_page_tail[];\n"
                   + c_array("report_page_head", head) + c_array("report_page_tail", tail))


main()
