"""bankrun fix: what it prints and writes, what it leaves alone, and what it refuses. The edits
themselves are held against golden files in tests/fix."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

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


def place_of(text, line, column):
    """Of a line and a column of code points, both from 1 on."""
    lines = text.split("\n")
    return sum(len(before) + 1 for before in lines[:line - 1]) + column - 1


def apply_sarif(log, folder):
    """Texts of the files behind all fixes of a log."""
    replacements = {}
    for result in log["runs"][0]["results"]:
        for one in result.get("fixes", []):
            for change in one["artifactChanges"]:
                path = os.path.join(folder, urllib.parse.unquote(change["artifactLocation"]["uri"].removeprefix("file://")))
                replacements.setdefault(path, []).extend(change["replacements"])
    texts = {}
    for path, changes in replacements.items():
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        places = []
        for change in changes:
            region = change["deletedRegion"]
            places.append((place_of(text, region["startLine"], region["startColumn"]),
                           place_of(text, region["endLine"], region["endColumn"]), change["insertedContent"]["text"]))
        done, out = 0, ""
        for begin, end, new in sorted(places, key=lambda place: place[:2]):
            out += text[done:begin] + new
            done = end
        texts[path] = out + text[done:]
    return texts


def validate_sarif(log):
    run = log["runs"][0]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    check(log["version"] == "2.1.0" and run["columnKind"] == "unicodeCodePoints", "SARIF head")
    for result in run["results"]:
        check(ids[result["ruleIndex"]] == result["ruleId"] and result["message"]["text"], str(result))
        check(("fixes" in result) == (result["ruleId"] == "bank-conflict/mended"), str(result))
    schema = os.environ.get("SARIF_SCHEMA")  # the published one, where somebody has it
    if schema:
        import jsonschema
        with open(schema, encoding="utf-8") as file:
            text = json.load(file)
        jsonschema.validators.validator_for(text)(text).validate(log)


def sarif(folder):
    """What its fixes make of the sources is what --write makes of them, whatever is in the lines before."""
    strange = SOURCE.replace("tile[32][32];", "tile[32][32]; /* \u00e4\U0001f600 */ __shared__ float more[32][32];").replace(
        "    __syncthreads();", "    more[threadIdx.x][threadIdx.y] = 1; /* \u4e2d */\r\n    __syncthreads();").replace(
        "= tile[threadIdx.x][threadIdx.y]", "= /* \u00e4 */ tile[threadIdx.x][threadIdx.y] + more[threadIdx.y][threadIdx.x]")
    for text, options in ((SOURCE, ()), (strange, ()), (strange, ("--prefer", "swizzle"))):
        status, out, err, before = fix(folder, "--no-check", "--format", "sarif", *options, "FILE", text=text)
        log = json.loads(out)
        validate_sarif(log)
        made = apply_sarif(log, folder)
        check(status == 0 and before == text.replace("MAIN", "").replace("\r\n", "\n"), f"sarif: {status} {err}")
        fix(folder, "--no-check", "--write", *options, "FILE", text=text)
        with open(os.path.join(folder, "turn.cu"), encoding="utf-8", newline="") as file:
            check(made == {os.path.join(folder, "turn.cu"): file.read()}, f"the edits of the SARIF: {made}")
        os.remove(os.path.join(folder, "turn.cu.orig"))
    check(len(log["runs"][0]["results"]) == 2, f"two arrays: {log}")
    results = json.loads(fix(folder, "--no-check", "--format", "sarif", "FILE", text=SOURCE.replace("tile[32][32]", "tile[16][16]")
                             .replace("dim3(32, 32)", "dim3(16, 16)").replace("[threadIdx.x][threadIdx.y]", "[0][threadIdx.y]"))[1])
    check(results["runs"][0]["results"] == [], f"nothing conflicts: {results}")


def refused(folder):
    for words, options, status, said in (
            ((), {}, 2, "which source?"),
            (("--format", "csv", "FILE"), {}, 2, "'csv' is none of text, json, sarif"),
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


KERNEL = SOURCE[SOURCE.index("__global__"):SOURCE.index("int main")]


def put(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def get(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def split(folder, name, *words, header=KERNEL, own="", **options):
    """The same with the kernel in a header, and `own` in front of what is left in the source."""
    put(folder, name, header)
    text = SOURCE.replace(KERNEL, f'#include "{name}"\n' + own)
    return fix(folder, "--no-check", *words, "FILE", text=text, **options)


def header(folder):
    """What is in a header is edited there."""
    name = "parts/turn.cuh"
    status, out, err, text = split(folder, name)
    check(status == 0 and f"+++ b{folder}/{name}\n" in out and out.count("+++") == 1 and get(folder, name) == KERNEL,
          f"header: {status} {out} {err}")
    status, out, err, _ = split(folder, name, "--format", "json")
    answer = json.loads(out)
    check(status == 0 and [e["file"] for e in answer["edits"]] == [os.path.join(folder, name)]
          and answer["arrays"][0]["file"] == os.path.join(folder, name) and answer["arrays"][0]["line"] == 2, out)
    # Both files are changed, and what they are then has nothing to be mended.
    both = KERNEL.replace("turn", "again")
    main = "again<<<1, dim3(32, 32)>>>(out);"
    status, out, err, text = split(folder, name, "--write", own=both, main=main)
    check(status == 0 and "tile[32][33]" in text and "tile[32][33]" in get(folder, name), f"--write: {status} {err}")
    check(get(folder, name + ".orig") == KERNEL and "tile[32][32]" in get(folder, "turn.cu.orig"), "the copies")
    status, out, err, _ = fix(folder, "--no-check", "FILE", text=None)
    check(status == 0 and not out and "no array of shared memory" in err, f"fixed once more: {status} {err}")


def all_or_nothing(folder):
    """One of two files cannot be written: neither is."""
    both, main = KERNEL.replace("turn", "again"), "again<<<1, dim3(32, 32)>>>(out);"

    def check_nothing(name, said, **options):
        status, _, err, text = split(folder, name, "--write", own=both, **{"main": main, **options})
        check(status == 2 and re.search(said, err), f"{said}: {status} {err}")
        check("[32][33]" not in text and "[32][33]" not in get(folder, name), f"{said}: written")
        check(not [n for n in os.listdir(folder) if n.endswith((".orig", ".tmp"))], f"{said}: left behind")

    change = f'if (FILE *f = std::fopen("{folder}/turn.cuh", "a")) std::fputs("// more\\n", f), std::fclose(f);'
    check_nothing("turn.cuh", r"turn\.cuh was changed meanwhile", main=main + change)
    os.makedirs(os.path.join(folder, "sub", "turn.cuh.orig"))
    check_nothing("sub/turn.cuh", r"turn\.cuh\.orig is there already")
    # A name that leaves no room for that of the copy, whatever the number of the process.
    long = "l" * (255 - len(f".{os.getpid()}0-0.tmp") - 4) + ".cuh"
    check_nothing(long, "name too long")


def late(folder):
    """The last of two files cannot be written: the first is put back."""
    target = os.path.join(folder, "t" * 252 + ".cu")
    put(folder, "turn.cuh", KERNEL)
    text = SOURCE.replace(KERNEL, '#include "turn.cuh"\n' + KERNEL.replace("turn", "again"))
    put(folder, target, text.replace("MAIN", "again<<<1, dim3(32, 32)>>>(out);"))
    os.symlink(target, os.path.join(folder, "turn.cu"))
    status, _, err, _ = fix(folder, "--no-check", "--write", "FILE", text=None)
    check(status == 2 and "nothing is written" in err and get(folder, "turn.cuh") == KERNEL, f"late: {status} {err}")
    check(sorted(os.listdir(folder)) == [os.path.basename(target), "turn.cu", "turn.cuh"], str(os.listdir(folder)))


def elsewhere(folder):
    """Files that are not edited, with the reason."""
    def check_left(said, name, *words, **options):
        os.makedirs(os.path.join(folder, "own"), exist_ok=True)
        status, out, err, _ = split(os.path.join(folder, "own"), name, *words, **options)
        check(status == 1 and not out and said in err, f"{name}: {status} {out} {err}")

    check_left("own/../turn.cuh:3: tile of turn(float*) is left as it is: this file is not in the folder", "../turn.cuh")
    os.symlink(folder, os.path.join(folder, "own", "link"))
    check_left("own/link/turn.cuh:3: tile of turn(float*) is left as it is: this file is, or is reached by, a symbolic "
               "link", "link/turn.cuh")
    check_left("turn.cu:5: tile of turn(float*) is left as it is: a macro says what is included here", "turn.cuh",
               own="#define STDLIB <cstdlib>\n#include STDLIB\n")
    # Found by -I, though it lies below: the name does not lead there.
    put(folder, "own/found/turn.cuh", KERNEL)
    status, out, err, _ = fix(os.path.join(folder, "own"), "--no-check", f"--nvcc-flag=-I{folder}/own/found", "FILE",
                              text=SOURCE.replace(KERNEL, '#include "found.cuh"\n'))
    check(status == 2 and "not compile" in err, f"found: {status} {err}")
    os.rename(os.path.join(folder, "own/found/turn.cuh"), os.path.join(folder, "own/found/found.cuh"))
    status, out, err, _ = fix(os.path.join(folder, "own"), "--no-check", f"--nvcc-flag=-I{folder}/own/found", "FILE",
                              text=SOURCE.replace(KERNEL, '#include "found.cuh"\n'))
    check(status == 1 and not out and "own/found/found.cuh:3: tile of turn(float*) is left as it is: this file is included in another way" in err,
          f"found: {status} {err}")
    # One that another includes again from outside stays as it is, and is read once.
    put(folder, "around.cuh", '#include "own/turn.cuh"\n')
    status, out, err, _ = split(os.path.join(folder, "own"), "turn.cuh", header="#pragma once\n" + KERNEL,
                                own='#include "../around.cuh"\n')
    check(status == 0 and "[32][33]" in out, f"around: {status} {err}")


def main():
    if not shutil.which("nvcc"):
        print("nvcc is not there")
        return 77
    for test in (plain, written, machine, sarif, refused, different, reads, includes, header, all_or_nothing, late, elsewhere):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    for problem in problems:
        print(problem)
    return bool(problems)


sys.exit(main())
