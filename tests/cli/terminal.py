"""On a terminal: progress and colour. Signals: a run that is stopped still reports."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")

# Counts to `turns` in every block; 0 never ends.
LOOP = """
.version 7.0
.target sm_80
.address_size 64

.visible .entry loop(.param .u32 turns)
{
    .reg .b32 %r<4>;
    .reg .pred %p1;
    .shared .align 4 .b8 cell[4];

    ld.param.u32 %r1, [turns];
    mov.u32 %r2, 0;
    mov.u32 %r3, cell;
again:
    st.shared.u32 [%r3], %r2;
    add.u32 %r2, %r2, 1;
    setp.ne.u32 %p1, %r2, %r1;
    @%p1 bra again;
    ret;
}
"""

# Calls itself twice, so deep that it never ends, and stores in each call.
TWICE = """
.version 7.0
.target sm_80
.address_size 64
.func twice(.param .b32 rest)
{
    .reg .b32 %r<4>;
    .reg .pred %p1;
    .shared .align 4 .b8 cell[4];

    ld.param.u32 %r1, [rest];
    mov.u32 %r2, cell;
    st.shared.u32 [%r2], %r1;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 ret;
    sub.u32 %r1, %r1, 1;
    { .param .b32 x; st.param.b32 [x], %r1; call twice, (x); }
    { .param .b32 x; st.param.b32 [x], %r1; call twice, (x); }
    ret;
}
.visible .entry start(.param .u32 levels)
{
    .reg .b32 %r<2>;
    ld.param.u32 %r1, [levels];
    { .param .b32 x; st.param.b32 [x], %r1; call twice, (x); }
    ret;
}
"""


def fail(text, output=b""):
    print(text)
    print(output.decode("utf-8", "replace"))
    sys.exit(1)


def on_terminal(command, env=None, until=None, columns=0):
    """What a command writes to a terminal. It gets a SIGINT when it has written `until`."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=other, stdout=other, stderr=other, env=env)
    os.close(other)
    output = b""
    while True:
        ready, _, _ = select.select([main], [], [], 60)
        try:
            part = os.read(main, 4096) if ready else b""
        except OSError:
            part = b""
        if not part:
            break
        output += part
        if until and until in output:
            process.send_signal(signal.SIGINT)
            until = None
    process.wait()
    return output


def check_terminal(path):
    env = dict(os.environ, TERM="xterm")
    env.pop("NO_COLOR", None)
    endless = ["--launch", "loop<<<2000, 32>>>(0)", "--threads", "1"]
    output = on_terminal([BANKRUN, path] + endless, env, b"instructions/s")
    if b" of 2000 blocks, " not in output or b"instructions/s" not in output:
        fail("no progress on a terminal", output)
    if b"\033[K" not in output or b"\033[1m" not in output.replace(b"\033[K", b""):
        fail("no colour on a terminal", output)
    short = ["--launch", "loop<<<200, 32>>>(20000)"]
    output = on_terminal([BANKRUN, path] + short + ["--quiet"], env)
    if output:
        fail("--quiet is not quiet", output)
    env["NO_COLOR"] = "1"
    output = on_terminal([BANKRUN, path, "--launch", "loop<<<1, 32>>>(2)"], env)
    if b"\033" in output:
        fail("colour in spite of NO_COLOR", output)


# A kernel whose name is mangled, and an access with a line.
LINED = LOOP.replace("loop(", "_Z4loopILi3EEvi(").replace(
    ".visible", '.file 1 "FOLDER/a b.cu"\n.visible').replace("again:", "again:\n    .loc 1 7 3")


def check_names_and_links(folder):
    """Progress has names as the source has them; lines are links where the file is there."""
    source = write(folder, "a b.cu", "\n" * 6 + "cell = i;\n")
    path = write(folder, "lined.ptx", LINED.replace("FOLDER", os.path.realpath(folder)).replace(
        "st.shared.u32 [%r3]", "st.shared.u32 [%r4]").replace("mov.u32 %r3, cell;", "mov.u32 %r3, cell;\n"
        "    mov.u32 %r4, %laneid;\n    shl.b32 %r4, %r4, 7;\n    add.u32 %r4, %r4, %r3;").replace(
        "%r<4>", "%r<5>").replace("cell[4]", "cell[4096]"))
    env = dict(os.environ, TERM="xterm")
    env.pop("NO_COLOR", None)
    command = [BANKRUN, path, "--threads", "1", "--launch", "_Z4loopILi3EEvi<<<2000, 32>>>(0)"]
    output = on_terminal(command, env, b"instructions/s")
    if b"\033[Kloop<3>: " not in output or b"interrupted by signal 2" not in output:
        fail("progress and end of a mangled kernel", output)
    target = f"/{os.path.realpath(source)[1:].replace(' ', '%20')}\033\\".encode()
    if b"\033]8;;file://" not in output or target not in output or output.count(b"]8;;") % 2:
        fail(f"no link to {target}", output)
    for change in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        if b"]8;;" in on_terminal(command[:-1] + ["_Z4loopILi3EEvi<<<1, 32>>>(2)"], dict(env, **change)):
            fail(f"a link in spite of {change}")
    os.remove(source)
    if b"]8;;" in on_terminal(command[:-1] + ["_Z4loopILi3EEvi<<<1, 32>>>(2)"], env):
        fail("a link to a file that is not there")


def check_width():
    """explain's text and picture keep to the terminal's width, and 16 banks stand in a row there."""
    command = [BANKRUN, "explain", "s[3 * tid % 32 * 7]", "--shared", "double s[300]", "--block", "64"]
    for columns, banks in (80, 16), (120, 32):
        output = on_terminal(command, dict(os.environ, TERM="xterm"), columns=columns)
        lines = re.sub(rb"\033\[[0-9;]*m", b"", output).decode().splitlines()
        if max(map(len, lines)) > columns or not any(line.endswith(f" {banks - 1}") for line in lines):
            fail(f"explain on {columns} columns", output)


def check_interrupt(path, launch, number):
    process = subprocess.Popen([BANKRUN, path, "--launch", launch],
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(0.7)
    process.send_signal(number)
    try:
        _, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        fail(f"{launch} goes on after {number.name}")
    if process.returncode != 128 + number or b"st.shared.u32" not in errors:
        fail(f"{launch}, {number.name}: status {process.returncode}", errors)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def main():
    with tempfile.TemporaryDirectory() as folder:
        loop = write(folder, "loop.ptx", LOOP)
        twice = write(folder, "twice.ptx", TWICE)
        check_terminal(loop)
        check_names_and_links(folder)
        check_width()
        check_interrupt(loop, "loop<<<1, 32>>>(0)", signal.SIGINT)
        check_interrupt(loop, "loop<<<1, 32>>>(0)", signal.SIGTERM)
        check_interrupt(twice, "start<<<1, 32>>>(60)", signal.SIGINT)
        check_interrupt(twice, "start<<<1, 32>>>(60)", signal.SIGTERM)


main()
