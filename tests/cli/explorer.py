"""The bank explorer (docs/explorer): its module answers what bankrun explain answers, with the same
errors, every claim of the tour holds, and the page that is kept is made of the files beside it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "tools")
import build_explorer  # noqa: E402

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
FOLDER = "docs/explorer"
TILE = {"shared": "float tile[32][32]"}
# Fields, as the module takes them. Each is asked of it and of bankrun explain.
QUESTIONS = [
    {"expression": "tile[threadIdx.y][threadIdx.x]", **TILE, "block": "32x8"},
    {"expression": "tile[threadIdx.x][threadIdx.y]", **TILE, "block": "16x16", "access": "store"},
    {"expression": "a[tid % 8 * 32]", "shared": "int a[256]", "access": "atomic"},
    {"expression": "a[0]", "shared": "int a[256]", "access": "atomic"},
    {"expression": "a[tid * 9 % 32]", "shared": "double a[64]", "access": "atomic", "arch": "90"},
    {"expression": "a[i ^ i >> 3]", "shared": "float4 a[64]", "let": ["i=tid * 2 % 32", "j=3"], "if": "tid % 3 == 0"},
    {"expression": "a[tid].y", "shared": "char pad[3]; struct {short x, y, z;} a[64]", "base": "64"},
    {"expression": "*(a + 3 * tid)", "shared": "short a[128]", "block": "100", "warp": "3"},
    {"expression": "a[min(tid, 7) + blockIdx.x]", "shared": "char a[64]", "grid": "9", "block-index": "5"},
    {"expression": "a[tid]", "shared": "float a[1024]", "width": "16"},
    {"expression": "a[tid]", "shared": "double a[1024]", "arch": "35", "bank-mode": "8"},
    {"expression": "a[tid * tid / 3]", "shared": "float a[1024]", "arch": "13"},
    {"expression": "a[tid + 8]", "shared": "float a[32]"},  # leaves its array
    {"expression": "a[0]", "shared": "float a[32]", "if": "0"},  # no lane
    {"expression": "*(float *)(p + tid)", "shared": "char p[64]"},  # misaligned
]
REFUSED = [
    {"expression": "a[tid*", "shared": "float a[32]"},
    {"expression": "", "shared": "float a[32]"},
    {"expression": "tile[tidd][0]", **TILE},
    {"expression": "tile[tid", **TILE},
    {"expression": "tile[1 / 0][0]", **TILE},
    {"expression": "tid", **TILE},
    {"expression": "a[0]", "shared": "flaot a[32]"},
    {"expression": "a[0]", "shared": "float a[99999999999][99999999999]"},
    {"expression": "a[b]", "shared": "float a[32]", "let": "b=1.."},
    {"expression": "a[0]", "shared": "float a[32]", "if": "tid <"},
    {"expression": "a[0]", "shared": "float a[32]", "warp": "7"},
    {"expression": "<img src=x onerror=alert(1)>\u2028\"\\\x1b[31m", "shared": "float a[32]"},
    {"expression": "(" * 20000 + "a[0]", "shared": "float a[32]"},
    {"expression": "a[" + "-" * 20000 + "1]", "shared": "float a[32]"},
    {"expression": "a[0]", "shared": "float a[32]", "block": "2000"},
    {"expression": "a[0]", "shared": "float a[32]", "block": "32x"},
    {"expression": "a[0]", "shared": "float a[32]", "grid": "2", "block-index": "2"},
]
# What bankrun explain does not refuse in these words, or cannot be asked.
REFUSED_HERE = [
    ({"expression": "a[s]", "shared": "float a[32]", "let": "s=0..3"}, "a sweep has several answers"),
    ({"expression": "a[s]", "shared": "float a[32]", "let": "s=0..65000"}, "a sweep has several answers"),
    ({"expression": "a[0]", "colour": "red"}, "there is no field 'colour'"),
    ({"shared": "float a[32]"}, "which expression?"),
    ({"expression": "a\0[0]"}, "a zero byte"),
    ({"expression": "a[0]", "shared": "float a[1]", "arch": "17"}, "there is no bank model of sm_17"),
    ({"expression": "a[0]", "shared": "float a[1]", "arch": "90", "bank-mode": "8"}, "no such bank mode"),
    ({"expression": "a[0]", "shared": "float a[1]", "width": "3"}, "width: '3'"),
    ({"expression": "a[0]", "shared": "float a[1]", "base": "-1"}, "base: '-1'"),
]
problems = []


def expect(is_good, what):
    if not is_good:
        problems.append(what)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def explain(question):
    """What bankrun explain answers: the requests, or the text of its error."""
    command = [BANKRUN, "explain", "--format", "json"]
    for name, value in question.items():
        if name == "access":
            command.append("--" + value)
        elif name != "expression" and not (name == "bank-mode" and value == "4"):
            for one in value if isinstance(value, list) else [value]:
                command += ["--" + name, one]
    command += ["--arch", "all"] if "arch" not in question else []
    done = subprocess.run(command + ["--", question["expression"]], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        return done.stderr.replace("bankrun: --", "bankrun: error: --")
    requests = json.loads(done.stdout)["requests"]
    for request in requests:
        del request["let"]
    return requests


def claims():
    for step in json.loads(read(FOLDER + "/tour.json")):
        for claim in step["claims"]:
            yield step["title"], claim, {**step["fields"], **claim["change"]}


def ask(module, questions):
    done = subprocess.run(["node", "tests/cli/explorer_answers.mjs", FOLDER + "/bankrun.mjs", module],
                          input=json.dumps(questions), capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        raise RuntimeError("node: " + done.stderr)
    return json.loads(done.stdout)


def check_picture(question, request):
    picture = request.pop("picture")
    if request["certainty"] == "misaligned":
        expect(picture is None, f"{question}: a picture of what is misaligned")
        return
    lanes = [lane[0] for lane in picture["lane"]]
    offsets = [offset[0] for offset in picture["offset"]]
    expect(set(lanes) <= {lane for lane in range(32) if request["active_mask"] >> lane & 1}
           and offsets == [request["offsets"][lane] for lane in lanes], f"{question}: lanes {lanes}")
    wide = request["bank_bytes"]
    for word, banks in enumerate(picture["bank"]):
        expect([bank[0] for bank in banks] == [(at + 4 * word) // wide % picture["banks"] for at in offsets],
               f"{question}: banks {banks}")
    expect(max(row[0] for row in picture["row"]) + 1 == picture["rows"] <= request["wavefronts"],
           f"{question}: {picture['rows']} rows")


def check_answers(module):
    tour = list(claims())
    asked = QUESTIONS + [fields for _, _, fields in tour]
    answers = ask(module, [{**question, "pictures": "1"} for question in asked])
    for question, answer in zip(asked, answers):
        wanted = explain(question)
        if "error" in answer or isinstance(wanted, str):
            problems.append(f"{question}: {answer}, and bankrun explain {wanted}")
            continue
        for request in answer["requests"]:
            check_picture(question, request)
        expect(answer["requests"] == wanted, f"{question}:\n{answer['requests']}\nbankrun explain:\n{wanted}")
    for (title, claim, _), answer in zip(tour, answers[len(QUESTIONS):]):
        counts = {(one["wavefronts"], one["ideal"]) for one in answer.get("requests", [])}
        expect(counts == {(claim["wavefronts"], claim["ideal"])}, f"{title}: {claim['say']}: {counts}")


def check_refused(module):
    answers = ask(module, REFUSED + [question for question, _ in REFUSED_HERE] + [QUESTIONS[0]])
    for question, answer in zip(REFUSED, answers):
        expect(answer.get("error") == explain(question),
               f"{str(question)[:200]}: {str(answer)[:300]}, and bankrun explain {str(explain(question))[:300]}")
    for (question, words), answer in zip(REFUSED_HERE, answers[len(REFUSED):]):
        expect(words in answer.get("error", ""), f"{question}: {answer}")
    expect("requests" in answers[-1], f"behind refused ones: {answers[-1]}")


def run_example(name, *words):
    return subprocess.run(["node", f"examples/javascript/{name}.mjs", *words], capture_output=True, text=True, check=False)


def check_examples(module, folder):
    """What examples/javascript says of the module that --kept unpacks."""
    path = os.path.join(folder, "kept.wasm")
    subprocess.run([sys.executable, "tools/build_explorer.py", "--kept", path], check=True)
    expect(read_bytes(path) == module, "--kept writes another module")
    done = run_example("padding", path)
    expect(done.stdout.splitlines()[:2] == ["float tile[32][32]: 32 wavefronts, ideal 1",
                                            "float tile[32][33]: 1 wavefronts, ideal 1"], done.stdout + done.stderr)
    done = run_example("wavefronts", path, "tile[threadIdx.x][threadIdx.y]", "float tile[32][32]", "32x2")
    expect("sm_90, warps 0 1: 32 wavefronts, ideal 1 (measured)" in done.stdout.splitlines(), done.stdout + done.stderr)
    done = run_example("wavefronts", path, "tile[tid", "float tile[32][32]")
    expect(done.returncode == 2 and done.stderr == explain({"expression": "tile[tid", **TILE}), done.stderr)
    expect(run_example("wavefronts", path).returncode == 2, "an example without a question")


def check_no_compiler():
    """Without one the build says so, and leaves the page as it is."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "tools/build_explorer.py", folder], env={"PATH": folder},
                              capture_output=True, text=True, check=False)
        expect(done.returncode == 77 and "clang is not installed" in done.stderr and not os.listdir(folder),
               f"without clang: {done.returncode} {done.stderr}")


def check_fresh(kept):
    """Where there is a compiler: the modules of today's sources answer what those that are kept answer."""
    why = build_explorer.missing()
    if why:
        print(f"the modules were not compiled anew: {why}")
        return
    with tempfile.TemporaryDirectory() as folder:
        fresh, redraw = os.path.join(folder, "bankrun.wasm"), os.path.join(folder, "redraw.wasm")
        build_explorer.build(fresh, redraw)
        asked = [{**question, "pictures": "1"} for question in QUESTIONS + [fields for _, _, fields in claims()]]
        asked += REFUSED + [question for question, _ in REFUSED_HERE]
        for question, old, new in zip(asked, ask(kept, asked), ask(fresh, asked)):
            expect(old == new, f"{str(question)[:200]}: the page's module answers {str(old)[:300]}, and a fresh one "
                   f"{str(new)[:300]}: make explorer")
        done = subprocess.run(["node", "tests/cli/redraw_answers.mjs", build_explorer.REDRAW, redraw],
                              capture_output=True, text=True, check=False, timeout=60)
        # Every status of src/explorer/redraw.h is met.
        expect(done.returncode == 0 and {one.split(":")[0] for one in done.stdout.split()} == set("012345"),
               f"{build_explorer.REDRAW}: {done.stdout}{done.stderr}: make explorer")


def main():
    check_no_compiler()
    page = read(FOLDER + "/index.html")
    module = build_explorer.kept_module()
    expect(re.sub(r'id="module">[^<]*<', "", page) == re.sub(r'id="module">[^<]*<', "", build_explorer.page_of(module)),
           f"{FOLDER}/index.html is not what its sources make: make explorer")
    expect(len(page) < build_explorer.MOST_BYTES, f"the page has {len(page)} bytes")
    expect(len(json.loads(read(FOLDER + "/tour.json"))) == 10, "the tour has not ten steps")
    if shutil.which("node"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bankrun.wasm")
            with open(path, "wb") as file:
                file.write(module)
            check_answers(path)
            check_refused(path)
            check_examples(module, folder)
            check_fresh(path)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems and not shutil.which("node"):
        print("node is not installed: the module was not asked")
        return 77
    return 1 if problems else 0


sys.exit(main())
