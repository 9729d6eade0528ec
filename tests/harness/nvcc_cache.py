#!/usr/bin/env python3
"""Stands in for nvcc and keeps what it made, so that every program is compiled once.

BANKRUN_REAL_NVCC is the compiler, BANKRUN_NVCC_CACHE the folder. The key covers the arguments, the
working folder (line tables name files), and the contents of the sources, of all headers beside
them, in their folder lib, and in -I folders, and of all that lies a few folders below a source.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

HEADERS = (".h", ".hpp", ".cuh", ".inc", ".cu")
DEPTH = 2


def split(arguments):
    """The output file, and the arguments without it and the list of what was read."""
    rest, output, words = [], None, iter(arguments)
    for word in words:
        if word == "-o":
            output = next(words, None)
        elif word == "-MF":
            next(words, None)
        else:
            rest.append(word)
    return output, rest


def folders_of(arguments):
    for i, word in enumerate(arguments):
        if word == "-I" and i + 1 < len(arguments):
            yield arguments[i + 1]
        elif word.startswith("-I"):
            yield word[2:]
        elif os.path.isfile(word):
            yield os.path.dirname(word) or "."


def files_below(folder, depth=DEPTH):
    for entry in os.scandir(folder) if depth else ():
        if entry.is_dir(follow_symlinks=False):
            yield from (e.path for e in os.scandir(entry.path) if e.is_file() and e.name.endswith(HEADERS))
            yield from files_below(entry.path, depth - 1)


def key_of(compiler, arguments):
    digest = hashlib.sha256()

    def add(text):
        digest.update(text.encode() + b"\0")

    add(f"{compiler} {os.stat(compiler).st_mtime_ns} {os.getcwd()}")
    for word in arguments:
        add(word)
    files = {word for word in arguments if os.path.isfile(word)}
    for source in tuple(files):
        files.update(files_below(os.path.dirname(source) or "."))
    for folder in folders_of(arguments):
        for folder in (folder, os.path.join(folder, "lib")):
            if not os.path.isdir(folder):
                continue
            files.update(os.path.join(folder, n) for n in os.listdir(folder)
                         if n.endswith(HEADERS) and not n.endswith(".cu"))
    for path in sorted(files):
        add(path)
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:24]


def main():
    compiler = os.environ["BANKRUN_REAL_NVCC"]
    output, rest = split(sys.argv[1:])
    if not output or not any(os.path.isfile(word) for word in rest):
        os.execv(compiler, [compiler] + sys.argv[1:])
    cache = os.environ["BANKRUN_NVCC_CACHE"]
    kept = os.path.join(cache, key_of(compiler, rest))
    if os.path.exists(kept):
        shutil.copy(kept, output)
        return 0
    process = subprocess.run([compiler] + sys.argv[1:], check=False)
    if process.returncode == 0 and os.path.exists(output):
        with tempfile.NamedTemporaryFile(dir=cache, delete=False) as part:
            pass
        shutil.copy(output, part.name)
        os.replace(part.name, kept)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
