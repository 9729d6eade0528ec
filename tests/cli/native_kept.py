"""Native code that is kept: the next run takes it, and all that it depends on makes another one. What is
damaged, on a full disk, or made by two at once does no harm."""

import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

bankrun = os.environ["BANKRUN"]
library = os.path.join(os.environ["BANKRUN_BUILD"], "libbankrun-compile.so")
problems = []

# Reads a variable by its address in a register; FACTOR differs between programs.
KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 steps[4] = {1, 2, 3, 4};
.visible .entry turn(.param .u64 turn_out, .param .u32 turn_count)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<8>;
    .shared .align 4 .b8 tile[4096];
    ld.param.u64 %rd1, [turn_out];
    ld.param.u32 %r1, [turn_count];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, tile;
    mad.lo.u32 %r4, %r2, FACTOR, %r3;
    mov.u32 %r5, 0;
    mov.u64 %rd4, steps;
    and.b32 %r7, %r2, 3;
    mul.wide.u32 %rd5, %r7, 4;
    add.u64 %rd6, %rd4, %rd5;
again:
    st.shared.u32 [%r4], %r5;
    ld.shared.u32 %r6, [%r4];
    VARIABLE
    add.u32 %r5, %r6, %r2;
    add.u32 %r5, %r5, %r8;
    add.u32 %r1, %r1, -1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra again;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r5;
    ret;
}
"""


def complain(what, process):
    problems.append(f"{what}: status {process.returncode}\n{process.stdout[-600:]}{process.stderr[-600:]}")


def files(cache):
    """Name and place of each kept code: a file that is written again has another place."""
    folder = os.path.join(cache, "bankrun")
    if not os.path.isdir(folder):
        return {}
    left = [name for name in os.listdir(folder) if not name.endswith((".native", ".listing"))]
    if left:
        problems.append(f"{cache}: {', '.join(left)} are left")
    return {name: os.stat(os.path.join(folder, name)).st_ino
            for name in os.listdir(folder) if name.endswith(".native")}


def write_kernel(folder, name, factor, variable="ld.global.u32 %r8, [%rd6];"):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(KERNEL.replace("FACTOR", factor).replace("VARIABLE", variable))
    return path


def run(path, cache, *options, engine="compile", threads=64, turns=50, under=(), **environment):
    with tempfile.NamedTemporaryFile() as report:
        command = [*under, bankrun, path, "--launch", f"turn<<<40, {threads}>>>(out:u32[{threads}], {turns})", "--format", "json",
                   "-o", report.name, "--dump", "out=-", "--engine", engine, *options]
        process = subprocess.run(command, capture_output=True, text=True, check=False,
                                 env={**os.environ, "XDG_CACHE_HOME": cache, **environment})
        process.stdout += report.read().decode()
    return process


def change(path, how):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    if how == "byte":
        data[len(data) // 2] ^= 4
    else:
        data = data[:{"empty": 0, "head": 20, "short": len(data) - 5}[how]]
    with open(path, "wb") as file:
        file.write(data)


def same_as(expected, what, process):
    if process.returncode or process.stdout != expected.stdout or process.stderr:
        complain(what, process)


def try_changes(folder, kernel, expected):
    cache = os.path.join(folder, "cache")
    same_as(expected, "made", run(kernel, cache))
    first = files(cache)
    same_as(expected, "taken", run(kernel, cache))
    if len(first) != 1 or files(cache) != first:
        problems.append(f"the second run made code again: {first}, {files(cache)}")
    for how in ("byte", "short", "head", "empty"):
        change(os.path.join(cache, "bankrun", *first), how)
        same_as(expected, f"damaged: {how}", run(kernel, cache))
        same_as(expected, f"made again: {how}", run(kernel, cache))
        if files(cache).keys() != first.keys() or not os.stat(os.path.join(cache, "bankrun", *first)).st_size:
            problems.append(f"{how}: {first} became {files(cache)}")
    # Something else of the same name.
    path = os.path.join(cache, "bankrun", *first)
    os.remove(path)
    os.mkfifo(path)
    same_as(expected, "a pipe", run(kernel, cache))
    if not os.path.isfile(path):
        problems.append("the pipe is still there")


def try_dependencies(folder, kernel, expected):
    cache = os.path.join(folder, "other")
    run(kernel, cache)
    count = len(files(cache))
    other = write_kernel(folder, "other.ptx", "8")
    copy = os.path.join(folder, "compiler.so")
    shutil.copy(library, copy)
    with open(copy, "ab") as file:
        file.write(b"another one")
    ways = [("another kernel", dict(path=other), run(other, "", "--no-cache", engine="interpret")),
            ("blocks of another width", dict(path=kernel, threads=48), run(kernel, "", "--no-cache", engine="interpret", threads=48)),
            ("another compiler", dict(path=kernel, BANKRUN_COMPILER=copy), expected)]
    for what, how, wanted in ways:
        count += 1
        for _ in range(2):
            same_as(wanted, what, run(cache=cache, **how))
        if len(files(cache)) != count:
            problems.append(f"{what}: {len(files(cache))} files, not {count}")
    # Valgrind shows programs another processor.
    if shutil.which("valgrind") and run(kernel, cache, under=("valgrind", "-q", "--error-exitcode=99")).returncode == 0 \
            and len(files(cache)) not in (count, count + 1):
        problems.append(f"another processor: {len(files(cache))} files")
    same_as(expected, "--no-cache", run(kernel, os.path.join(folder, "none"), "--no-cache"))
    if files(os.path.join(folder, "none")):
        problems.append("--no-cache kept something")
    # Code that holds a variable's address is of no use to the next run.
    named = write_kernel(folder, "named.ptx", "4", "ld.global.u32 %r8, [steps+4];")
    wanted = run(named, "", "--no-cache", engine="interpret")
    for _ in range(2):
        same_as(wanted, "a variable's address", run(named, cache))
    if len([name for name in files(cache)]) > count + 1:
        problems.append("code that holds an address was kept")


def try_at_once(folder, kernel, expected):
    cache = os.path.join(folder, "at once")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for process in pool.map(lambda _: run(kernel, cache), range(8)):
            same_as(expected, "several at once", process)
    if len(files(cache)) != 1:
        problems.append(f"several at once left {files(cache)}")


def try_auto(folder, kernel):
    """What one run compiled on its way the next one has from the beginning."""
    cache = os.path.join(folder, "auto")
    usual = run(kernel, cache, engine="interpret", turns=300000)
    for _ in range(2):
        same_as(usual, "auto", run(kernel, cache, engine="auto", turns=300000))
    short = run(kernel, os.path.join(folder, "short"), engine="auto")
    if short.returncode or files(os.path.join(folder, "short")):
        complain("a short run kept something", short)


def try_heavy(folder):
    """A kernel that takes LLVM longer than others of as many instructions is compiled when it has run for longer, too."""
    stores = "\n".join(f"st.shared.u32 [%r4+{4 * (i % 8)}], %r5;" for i in range(250))
    kernel = write_kernel(folder, "heavy.ptx", "12", stores + "\nld.global.u32 %r8, [%rd6];")
    for turns, count in ((3100, 0), (5600, 1)):  # 64 and 116 million warp instructions
        cache = os.path.join(folder, f"heavy {turns}")
        process = run(kernel, cache, engine="auto", turns=turns)
        if process.returncode or len(files(cache)) != count:
            complain(f"{turns} turns of a heavy kernel kept {files(cache)}", process)


def try_program(folder):
    """The runtime that a program loads finds the compiler, and the place of what is kept."""
    cache, source = os.path.join(folder, "program"), os.path.join(folder, "program.cu")
    with open(source, "w", encoding="utf-8") as file:
        file.write("__global__ void turn(int *out) { for (int i = 0; i < 100; i++) out[threadIdx.x] += i; }\n"
                   "int main() { int *out; cudaMalloc(&out, 256); turn<<<4, 64>>>(out); return cudaDeviceSynchronize(); }\n")
    kept = []
    for _ in range(2):
        process = subprocess.run([bankrun, "--engine", "compile", "-q", source], capture_output=True, text=True, check=False,
                                 env={**os.environ, "XDG_CACHE_HOME": cache})
        if process.returncode:
            complain("a program", process)
        place = os.path.join(cache, "bankrun")
        kept.append({name: os.stat(os.path.join(place, name)).st_ino for name in os.listdir(place) if name.endswith(".native")})
    if len(kept[0]) != 1 or kept[0] != kept[1]:
        problems.append(f"a program's kernel: {kept}")


def try_no_room(kernel, expected):
    place = os.environ["BANKRUN_MOUNT"]
    for options in ("size=64k", "size=64m,nr_inodes=3", "size=1m,ro"):
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place], check=True)
        if options == "size=64k":
            with open(os.path.join(place, "all"), "wb", buffering=0) as file:
                try:
                    while file.write(bytes(4096)):
                        pass
                except OSError:
                    pass
        for _ in range(2):
            same_as(expected, f"no room: {options}", run(kernel, place))
        if options != "size=64m,nr_inodes=3" and files(place):
            problems.append(f"{options}: something was kept")
        subprocess.run(["umount", place], check=True)


def main():
    if not os.path.exists(library):
        print("this build has no libbankrun-compile.so")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        kernel = write_kernel(folder, "turn.ptx", "4")
        expected = run(kernel, "", "--no-cache", engine="interpret")
        if expected.returncode or expected.stderr:
            complain("interpreted", expected)
        elif "BANKRUN_MOUNT" in os.environ:
            try_no_room(kernel, expected)
        else:
            try_changes(folder, kernel, expected)
            try_dependencies(folder, kernel, expected)
            try_at_once(folder, kernel, expected)
            try_auto(folder, kernel)
            try_heavy(folder)
            if os.environ.get("BANKRUN_TEST_NVCC"):
                try_program(folder)
            may = subprocess.run(["unshare", "-Urm", "mount", "-t", "tmpfs", "none", folder], check=False, capture_output=True)
            if may.returncode == 0:
                place = os.path.join(folder, "place")
                os.mkdir(place)
                subprocess.run(["unshare", "-Urm", sys.executable, __file__], check=True, env={**os.environ, "BANKRUN_MOUNT": place})
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
