#!/usr/bin/env python3
"""Makes an archive of a wheel that runs from wherever it is unpacked, without Python.

    tools/build_tarball.py WHEEL [--out FOLDER]

bankrun-VERSION-linux-MACHINE.tar.gz holds bin/bankrun, its libraries below lib, the Python module beside them, manual
pages and completions. The same wheel gives the same bytes.
"""

import argparse
import gzip
import io
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = "../lib/bankrun/native/bankrun"  # as bin/bankrun finds it: a program looks for its libraries beside itself
FILES = {"completions/bankrun.bash": "share/bash-completion/completions/bankrun",
         "completions/_bankrun": "share/zsh/site-functions/_bankrun",
         "completions/bankrun.fish": "share/fish/vendor_completions.d/bankrun.fish",
         "LICENSE": "LICENSE", "python/THIRD-PARTY.txt": "THIRD-PARTY.txt",
         "README.md": "README.md", "CHANGELOG.md": "CHANGELOG.md"}


class Archive:
    """Names in order, nobody's files, 1970 for all: nothing of who made it, and when."""

    def __init__(self, top):
        self.top, self.entries = top, {}

    def add(self, name, data, is_program=False):
        self.entries[name] = (data, 0o755 if is_program else 0o644)

    def link(self, name, target):
        self.entries[name] = (target, None)

    def bytes(self):
        plain = io.BytesIO()
        with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for name in sorted(self.entries):
                data, mode = self.entries[name]
                entry = tarfile.TarInfo(f"{self.top}/{name}")
                if mode is None:
                    entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, data, 0o777
                    tar.addfile(entry)
                else:
                    entry.size, entry.mode = len(data), mode
                    tar.addfile(entry, io.BytesIO(data))
        return gzip.compress(plain.getvalue(), 9, mtime=0)


def add_pages(archive, wheel, machine):
    """The manual pages, which say what the program says of itself."""
    if machine != platform.machine():
        print(f"build_tarball: no manual pages: a program for {machine} cannot be run here", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        wheel.extractall(folder)
        program = os.path.join(folder, "bankrun", "native", "bankrun")
        os.chmod(program, 0o755)
        pages = os.path.join(folder, "pages")
        subprocess.run([sys.executable, os.path.join(ROOT, "tools", "man_pages.py"), program, pages], check=True)
        for name in os.listdir(pages):
            with open(os.path.join(pages, name), "rb") as file:
                archive.add("share/man/man1/" + name, file.read())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel")
    parser.add_argument("--out", default="dist", help="folder for the archive")
    args = parser.parse_args()
    name = re.match(r"bankrun-([^-]+)-py3-none-\w*?linux\w*?_(x86_64|aarch64)\.whl$", os.path.basename(args.wheel))
    if not name:
        sys.exit(f"{args.wheel}: no wheel of tools/build_wheel.py")
    version, machine = name.groups()
    with zipfile.ZipFile(args.wheel) as wheel:
        archive = Archive(f"bankrun-{version}-linux-{machine}")
        for entry in wheel.infolist():
            if ".dist-info/" not in entry.filename and not entry.is_dir():
                is_program = entry.filename.endswith("/native/bankrun") or "/native/standin/" in entry.filename
                archive.add("lib/" + entry.filename, wheel.read(entry), is_program)
        add_pages(archive, wheel, machine)
    archive.link("bin/bankrun", PROGRAM)
    for path, place in FILES.items():
        with open(os.path.join(ROOT, path), "rb") as file:
            archive.add(place, file.read())
    os.makedirs(args.out, exist_ok=True)
    made = os.path.join(args.out, archive.top + ".tar.gz")
    with open(made, "wb") as file:
        file.write(archive.bytes())
    print(f"{made}: {os.path.getsize(made):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
