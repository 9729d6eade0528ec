"""Messages show names and texts of others so that a terminal cannot be told anything by them."""

import os
import pty
import shutil
import subprocess
import sys
import tempfile

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))
ESCAPES = b"\x1b]0;owned\x07\x1b[31m"
# The 8-bit form of ESC [, as a byte and as UTF-8, and a mark that reorders text.
OTHERS = b"\x9b31m\xc2\x9b31m\xe2\x80\xae"
EVIL = ESCAPES + OTHERS
KERNEL = b""".version 7.0
.target sm_80
.address_size 64
.visible .entry k() {
    .reg .b32 %r<4>;
    .shared .align 4 .b8 tile[128];
    mov.u32 %r1, %tid.x;
    st.shared.u32 [tile], %r1;
    ret;
}
"""


def fail(text, output=b""):
    print(text)
    print(repr(output))
    sys.exit(1)


def is_clean(output):
    text = output.decode("utf-8", "strict")
    return not any(ord(c) < 32 and c not in "\r\n\t" or 0x7F <= ord(c) < 0xA0 or c == "\u202e"
                   for c in text)


def run(*arguments, status=2):
    process = subprocess.run([BANKRUN, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=60)
    output = process.stdout + process.stderr
    if process.returncode != status:
        fail(f"{arguments}: status {process.returncode} instead of {status}", output)
    if not is_clean(output):
        fail(f"{arguments}: raw control characters", output)
    return output


def on_terminal(*arguments):
    main, other = pty.openpty()
    process = subprocess.Popen([BANKRUN, *arguments], stdin=other, stdout=other, stderr=other)
    os.close(other)
    output = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:
            part = b""
        if not part:
            break
        output += part
    process.wait()
    return output


def write(name, text):
    with open(name, "wb") as file:
        file.write(text)
    return name


def check_words():
    for words in ([EVIL + b".cu"], [b"--" + EVIL], [b"--format", EVIL, b"x.cu"], [b"--arch", EVIL, b"x"],
                  [b"help", EVIL], [b"report", EVIL], [b"explain", EVIL], [b"--threads", EVIL, b"x"]):
        if b"?" not in run(*words):
            fail(f"{words}: nothing stands for what was taken out")
    if "Übermaß-✓.cu".encode() not in run("Übermaß-✓.cu"):
        fail("UTF-8 is not shown as it is")


def check_files():
    path = write(b"k" + EVIL + b".ptx", KERNEL)
    report = run(path, b"--launch", b"k<<<1, 32>>>()", status=0)
    if b"--launch k" not in report:
        fail("no report", report)
    run(path, b"--launch", EVIL)
    run(path)
    output = run(path, b"--launch", b"k<<<1, 32>>>()", b"-o", b"none/" + EVIL)
    if b"none/" not in output:
        fail("the file that cannot be written is not named", output)
    csv = on_terminal("--format", "csv", "-o", "-", path, "--launch", "k<<<1, 32>>>()")
    if not csv or not is_clean(csv):
        fail("CSV on a terminal", csv)


def check_caret():
    """Under what the caret stands, though bytes before it are shown otherwise."""
    for bad in (b"/* \x1b[31m \x9b \xc2\x9b \xc3\xa4 */", b""):
        path = write(b"broken.ptx", KERNEL.replace(b"mov.u32", bad + b"mov.frob"))
        lines = run(path, b"--launch", b"k<<<1, 32>>>()").decode().splitlines()
        at = next((i for i, line in enumerate(lines) if "^" in line and i), None)
        if at is None or not lines[at - 1][lines[at].index("^"):].startswith(".frob"):
            fail("the caret stands elsewhere", "\n".join(lines).encode())


def check_dash():
    """Behind -- there are no options."""
    write(b"-k.ptx", KERNEL)
    run("--launch", "k<<<1, 32>>>()", "--", "-k.ptx", status=0)
    if b"-x.cu" not in run("--", "-x.cu"):
        fail("a missing file that begins with a dash is not named")
    write(b"-y.cu", b"int main() { return 0; }\n")
    nvcc = write(b"nvcc", b"""#!/bin/sh
[ "$1" = --list-gpu-arch ] && { echo compute_90; exit 0; }
while [ $# -gt 0 ]; do
    case "$1" in -o) out=$2; shift;; *.cu) [ "$1" = ./-y.cu ] || exit 5;; esac
    shift
done
cp TRUE "$out"
""".replace(b"TRUE", shutil.which("true").encode()))
    os.chmod(nvcc, 0o755)
    output = subprocess.run([BANKRUN, "--nvcc", "./nvcc", "--no-cache", "--no-count", "--", "-y.cu"],
                            stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    if output.returncode != 0 or output.stderr:
        fail(f"-y.cu: status {output.returncode}", output.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_words()
        check_files()
        check_caret()
        check_dash()


main()
