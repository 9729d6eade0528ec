"""The archive that tools/build_tarball.py makes of a wheel: the same bytes each time, and it runs wherever it lies."""

import os
import subprocess
import sys
import tempfile
import time
import zipfile

BUILD = os.path.abspath(os.environ.get("BANKRUN_BUILD", "build"))
LIBRARIES = ("libbankrun-inject.so", "libcuda.so.1", "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", "libbankrun-audit.so", "libbankrun-cute.so",
             "libnvidia-ml.so.1",
             "libbankrun-cublas.so.12", "libbankrun-cublas.so.13", "libbankrun-cublasLt.so.12", "libbankrun-cublasLt.so.13",
             "libbankrun-cusolver.so.11", "libbankrun-cusolver.so.12", "libbankrun-cufft.so.11", "libbankrun-cufft.so.12", "libbankrun-curand.so.10")
problems = []


def expect(what, good, shown=""):
    if not good:
        problems.append(f"{what}: {shown}")


def make_wheel(folder):
    """As tools/build_wheel.py names it, of this build's files."""
    path = os.path.join(folder, "bankrun-0.1.0-py3-none-manylinux_2_34_x86_64.whl")
    with zipfile.ZipFile(path, "w") as wheel:
        for name in ("bankrun", *LIBRARIES):
            stripped = os.path.join(folder, name)
            subprocess.run(["strip", "-o", stripped, os.path.join(BUILD, name)], check=True)
            wheel.write(stripped, f"bankrun/native/{name}")
        wheel.write(os.path.join(BUILD, "standin", "ptxas"), "bankrun/native/standin/ptxas")
        wheel.write("python/bankrun/__init__.py", "bankrun/__init__.py")
        wheel.writestr("bankrun-0.1.0.dist-info/WHEEL", "for pip alone")
    return path


def make(wheel, out):
    return subprocess.run([sys.executable, "tools/build_tarball.py", wheel, "--out", out], capture_output=True,
                          text=True, check=False)


def check_archive(folder):
    wheel = make_wheel(folder)
    archives = []
    for out in ("one", "another"):
        done = make(wheel, os.path.join(folder, out))
        expect("is made", done.returncode == 0, done.stderr)
        os.utime(wheel, (1, 1))
        time.sleep(1.1 if out == "one" else 0)  # another second
        with open(os.path.join(folder, out, "bankrun-0.1.0-linux-x86_64.tar.gz"), "rb") as file:
            archives.append(file.read())
    expect("two archives are the same", archives[0] == archives[1])
    done = make(os.path.join(folder, "other.whl"), folder)
    expect("another wheel is refused", done.returncode == 1 and "no wheel" in done.stderr, done)


def check_runs(folder):
    place = os.path.join(folder, "a place: $ORIGIN")
    os.mkdir(place)
    subprocess.run(["tar", "xzf", os.path.join(folder, "one", "bankrun-0.1.0-linux-x86_64.tar.gz"), "-C", place],
                   check=True)
    top = os.path.join(place, "bankrun-0.1.0-linux-x86_64")
    found = sorted(os.path.relpath(os.path.join(path, name), top) for path, _, names in os.walk(top) for name in names)
    for name in ("bin/bankrun", "share/man/man1/bankrun.1", "share/man/man1/bankrun-run.1", "LICENSE", "THIRD-PARTY.txt", "lib/bankrun/native/libcuda.so.1"):
        expect(f"has {name}", name in found, found)
    expect("nothing of pip's", not any("dist-info" in name for name in found), found)
    done = subprocess.run([os.path.join(top, "bin", "bankrun"), "doctor", "--format", "json"], capture_output=True,
                          text=True, check=False)
    expect("its libraries are found", f'"{top}/lib/bankrun/native"' in done.stdout and
           '"state": "missing"' not in done.stdout.split('"libraries"')[-1], done)
    ptxas = os.path.join(top, "lib", "bankrun", "native", "standin", "ptxas")
    expect("its ptxas can be started", os.access(ptxas, os.X_OK), ptxas)


def main():
    if os.environ.get("BANKRUN_SANITIZER", "none") != "none":
        print("a sanitizer's library is to be loaded first")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check_archive(folder)
        check_runs(folder)
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
