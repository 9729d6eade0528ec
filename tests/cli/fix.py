"""bankrun fix: what it prints and writes, what it leaves alone, and what it refuses. The edits
themselves are held against golden files in tests/fix."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
problems = []

# MAIN runs before the output is copied back.
SOURCE = """#include <cstdio>
#include <cstdlib>
__global__ void turn(float *out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = threadIdx.y * 32 + threadIdx.x;
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main(int argc, char **argv) {
    float *out, host[1024];
    cudaMalloc(&out, sizeof host);
    turn<<<1, dim3(32, 32)>>>(out);
    MAIN
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%g\\n", host[1]);
    return argc > 1 ? std::atoi(argv[1]) : 0;
}
"""
FIXED = SOURCE.replace("tile[32][32]", "tile[32][33]")


def check(is_good, what):
    if not is_good:
        problems.append(what)


def fix(folder, *words, text=SOURCE, main="", env=None, limit=None, stdin=subprocess.DEVNULL):
    """Status, stdout, stderr and the source behind it."""
    path = os.path.join(folder, "turn.cu")
    if text is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("MAIN", main))
    command = [BANKRUN, "fix", *[path if w == "FILE" else w for w in words]]
    if limit:
        command = ["sh", "-c", f'{limit}; exec "$@"', "sh", *command]
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, stdin=stdin,
                             env={**os.environ, **(env or {})}, timeout=600)
    with open(path, encoding="utf-8") as file:
        return process.returncode, process.stdout, process.stderr, file.read()


def plain(folder):
    status, out, err, text = fix(folder, "FILE")
    check(status == 0 and text == SOURCE.replace("MAIN", ""), f"fix: {status} {err}")
    check("-    __shared__ float tile[32][32];\n+    __shared__ float tile[32][33];\n" in out, out)
    check(f"--- a{folder}/turn.cu\n+++ b{folder}/turn.cu\n" in out, f"names of the diff: {out}")
    check("wavefronts 1056 -> 64, no conflicts, as foretold" in err, err)
    status, out, err, _ = fix(folder, "-q", "FILE", "7")
    check(status == 0 and out and not err, f"-q and a program that ends with 7: {status} {err}")
    names = sorted(os.listdir(folder))
    check(names == ["turn.cu"], f"left behind: {names}")


def written(folder):
    status, _, err, text = fix(folder, "--write", "--no-check", "FILE")
    check(status == 0 and text == FIXED.replace("MAIN", ""), f"--write: {status} {err}")
    with open(os.path.join(folder, "turn.cu.orig"), encoding="utf-8") as file:
        check(file.read() == SOURCE.replace("MAIN", ""), "the copy is not what was there")
    status, out, err, _ = fix(folder, "--write", "--no-check", "FILE", text=None)
    check(status == 0 and not out and "no array of shared memory has conflicts" in err,
          f"fixed once more: {status} {out} {err}")
    status, _, err, text = fix(folder, "--write", "--no-check", "FILE")
    check(status == 2 and "turn.cu.orig is there already" in err and "[32][32]" in text,
          f"a copy is there: {status} {err}")
    os.remove(os.path.join(folder, "turn.cu.orig"))
    # The program is the one who changes it meanwhile.
    main = f'if (FILE *f = std::fopen("{folder}/turn.cu", "a")) std::fputs("// more\\n", f), std::fclose(f);'
    status, _, err, text = fix(folder, "--write", "--no-check", "FILE", main=main)
    check(status == 2 and "was changed meanwhile" in err and "[32][32]" in text,
          f"changed meanwhile: {status} {err}")
    check(not os.path.exists(os.path.join(folder, "turn.cu.orig")), "a copy was made for nothing")


def machine(folder):
    status, out, err, _ = fix(folder, "--no-check", "--format", "json", "FILE")
    answer = json.loads(out)
    text = SOURCE.replace("MAIN", "").encode()
    for edit in reversed(answer["edits"]):
        text = text[:edit["begin"]] + edit["text"].encode() + text[edit["end"]:]
    check(status == 0 and text.decode() == FIXED.replace("MAIN", ""), "the edits of the JSON")
    array = answer["arrays"][0]
    check((array["array"], array["outcome"], array["wavefronts"], array["wavefronts_after"],
           array["as_foretold"], array["is_proved"], array["layout"]["pad"]) ==
          ("tile", "fixed", 1056, 64, True, True, 1),
          str(array))
    file = os.path.join(folder, "answer")
    status, out, err, _ = fix(folder, "--no-check", "-o", file, "FILE")
    with open(file, encoding="utf-8") as answer:
        check(status == 0 and not out and "[32][33]" in answer.read(), f"-o: {status} {err}")
    os.remove(file)


def refused(folder):
    for words, options, status, said in (
            ((), {}, 2, "which source?"),
            (("--format", "csv", "FILE"), {}, 2, "--format csv"),
            (("--prefer", "luck", "FILE"), {}, 2, "luck"),
            (("--wrte", "FILE"), {}, 2, "--write"),
            (("/nonexistent.cu",), {}, 2, "No such file"),
            (("FILE",), {"text": "__global__ void f() {}\n"}, 2, "has no main()"),
            (("FILE",), {"text": "int main() { return }\n"}, 2, "does not compile"),
            (("FILE",), {"text": "int main() { return 0; }\n"}, 2, "uses no device"),
            (("FILE",), {"main": "turn<<<1, 1024>>>((float *)8);"}, 4, "does not run to its end"),
            (("FILE",), {"main": "std::abort();"}, 4, "does not run to its end"),
            (("FILE",), {"env": {"TMPDIR": "/nonexistent"}}, 2, "/nonexistent"),
            (("FILE",), {"limit": "ulimit -f 0"}, 2, "")):
        got, out, err, _ = fix(folder, "--no-check", *words, **options)
        check(got == status and said in err and not out, f"{words} {options}: {got} {out} {err}")


def different(folder):
    """What must be the same is not: the edit is dropped."""
    # The program looks at its own shared memory's size, and so does something else with the edit.
    main = """cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, turn);
    """
    for more, said in (("std::printf(\"%zu\\n\", a.sharedSizeBytes);", "line 1 of the program's output differs"),
                       ("if (a.sharedSizeBytes > 4096) return 3;", "status 3 in place of 0"),
                       ("if (a.sharedSizeBytes > 4096) cudaMemset(out, 0, 8);", "copied? back|copies back"),
                       ("if (a.sharedSizeBytes > 4096) std::abort();", "no longer runs to its end|status 134"),
                       ("if (a.sharedSizeBytes > 4096) cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost);",
                        "copies other amounts back")):
        status, out, err, _ = fix(folder, "--no-check", "--prefer", "pad", "FILE", main=main + more)
        check("[32][33]" not in out, f"{more}: {out}")
        # The second best layout does not change the size, so that nothing differs.
        check(status == 0 and "tile_at" in out or re.search(said, err), f"{more}: {status} {err}")
    # What two runs of the program itself have not in common does not count.
    clock = 'timespec t; clock_gettime(CLOCK_MONOTONIC, &t); std::printf("%ld ns\\n", t.tv_nsec);'
    status, out, err, _ = fix(folder, "--no-check", "FILE", main=clock)
    check(status == 0 and "[32][33]" in out, f"a clock: {status} {err}")


def reads(folder):
    """Each run reads all of a file, and nothing of a pipe."""
    path = os.path.join(folder, "input")
    with open(path, "w", encoding="utf-8") as file:
        file.write("41\n")
    main = 'int n = 0; std::printf("%d %d\\n", std::scanf("%d", &n), n);'
    with open(path, encoding="utf-8") as file:
        status, out, err, _ = fix(folder, "--no-check", "FILE", main=main, stdin=file)
    check(status == 0 and "[32][33]" in out, f"reads a file: {status} {out} {err}")
    os.remove(path)
    reader, writer = os.pipe()  # which nobody closes
    main = 'if (std::getchar() != EOF) return 9;'
    status, out, err, _ = fix(folder, "--no-check", "FILE", main=main, stdin=reader)
    os.close(reader), os.close(writer)
    check(status == 0 and "[32][33]" in out, f"reads a pipe: {status} {out} {err}")


def includes(folder):
    """Files beside the source are found, though another text of it is compiled elsewhere."""
    with open(os.path.join(folder, "beside.cuh"), "w", encoding="utf-8") as file:
        file.write("#define SIDE 32\n")
    text = '#include "beside.cuh"\n' + SOURCE.replace("tile[32][32]", "tile[SIDE][SIDE]")
    status, out, err, _ = fix(folder, "--no-check", "FILE", text=text)
    check(status == 0 and "tile[SIDE][SIDE + 1]" in out, f"includes: {status} {out} {err}")


def main():
    if not shutil.which("nvcc"):
        print("nvcc is not there")
        return 77
    for test in (plain, written, machine, refused, different, reads, includes):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    for problem in problems:
        print(problem)
    return bool(problems)


sys.exit(main())
