#!/usr/bin/env python3
"""Turns a file into a C array and its length.

Usage: tools/embed_bytes.py INPUT OUTPUT.c NAME
"""

import sys


def main():
    path, output, name = sys.argv[1:]
    with open(path, "rb") as file:
        data = file.read()
    rows = [", ".join(map(str, data[at:at + 32])) for at in range(0, len(data), 32)]
    with open(output, "w", encoding="utf-8") as file:
        file.write("#include <stddef.h>\n\n")
        file.write(f"extern const unsigned char {name}[];\nextern const size_t {name}_bytes;\n")
        file.write(f"_Alignas(8) const unsigned char {name}[] = {{\n" + ",\n".join(rows) + "};\n")
        file.write(f"const size_t {name}_bytes = {len(data)};\n")


main()
