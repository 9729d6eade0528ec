"""bankrun diff and --fail-on regression, excess, degree: what changed is said, and nothing else."""

import json
import os
import subprocess
import sys
import tempfile

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
LAUNCH = "column<<<1, 32>>>(out:u32[32])"
SOURCE = ["// a program", "__global__ void column(int *out) {", "    tile[x][y] = 1;",
          "    a = tile[x];", "    b = tile[y];", "    out[x] = a;", "}"]
# The lines with accesses, by their text, and the bytes from lane to lane.
STRIDES = {"tile[x][y] = 1;": 4, "a = tile[x];": 4, "b = tile[y];": 8}
problems = []


def run(*words, stdin=None):
    return subprocess.run([BANKRUN, *words], capture_output=True, check=False, stdin=stdin or
                          subprocess.DEVNULL, text=True, errors="replace")


def expect(done, status, *words, no=()):
    command = " ".join(done.args)
    text = done.stdout + done.stderr
    if done.returncode != status:
        problems.append(f"{command}: status {done.returncode} instead of {status}\n{text}")
    problems.extend(f"{command}: no {word!r} in\n{text}" for word in words if word not in text)
    problems.extend(f"{command}: {word!r} in\n{text}" for word in no if word in text)
    return done


def expect_equal(what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: {found!r} instead of {wanted!r}")


def module(lines, strides, name):
    """PTX of a kernel whose accesses are at the lines of k.cu that `strides` names."""
    code = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text in strides:
            operation = "st.shared.u32 [%r2], %r1" if "] = " in text else "ld.shared.u32 %r3, [%r2]"
            code += [f".loc 1 {number} 1", f"mad.lo.u32 %r2, %r1, {strides[text]}, %r4;",
                     operation + ";"]
    return f""".version 7.0
.target sm_80
.address_size 64
.visible .entry {name}(.param .u64 out) {{
.reg .b32 %r<6>;
.shared .align 4 .b8 tile[8192];
mov.u32 %r1, %tid.x;
mov.u32 %r4, tile;
{chr(10).join(code)}
ret;
}}
.file 1 "k.cu"
"""


def profile(saved, lines=None, strides=None, *words, name="column", status=0):
    """Runs the kernel, whose source is k.cu, and saves its profile."""
    with open("k.cu", "w", encoding="utf-8") as file:
        file.write("\n".join(lines or SOURCE) + "\n")
    with open("k.ptx", "w", encoding="utf-8") as file:
        file.write(module(lines or SOURCE, strides or STRIDES, name))
    return expect(run("--format", "json", "-o", saved, "--launch", LAUNCH.replace("column", name),
                      *words, "k.ptx"), status)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def save(path, data):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file)


def diff(*words):
    return json.loads(expect(run("diff", "--format", "json", *words), 0).stdout)


def changes(*words):
    """Of each line: what it became, its numbers, and its excess."""
    return [(line["change"], *[side and (side["line"], side["excess"])
                               for side in (line["old"], line["new"])]) for line in diff(*words)["lines"]]


def check_same():
    profile("old.json")
    expect_equal("quotes", [(q["line"], q["text"]) for q in load("old.json")["quotes"]],
                 [(3, "tile[x][y] = 1;"), (4, "a = tile[x];"), (5, "b = tile[y];")])
    expect(run("diff", "old.json", "old.json"), 0, "Nothing changed: 3 lines of 1 kernel.",
           no=("worse", "better"))
    expect(run("diff", "--fail-on", "regression,fault", "old.json", "old.json"), 0)
    expect_equal("same", changes("old.json", "old.json"), [])
    profile("moved.json", ["// more", "", *SOURCE])
    expect(run("diff", "old.json", "moved.json"), 0, "Nothing changed")
    expect(run("diff", "--fail-on", "regression", "old.json", "moved.json"), 0)
    with open("old.json", encoding="utf-8") as file:
        expect(run("diff", "-", "moved.json", stdin=file), 0, "Nothing changed")


def check_changes():
    worse = {**STRIDES, "a = tile[x];": 128}
    profile("worse.json", ["", *SOURCE], worse)
    expect_equal("worse", changes("old.json", "worse.json"), [("worse", (4, 0), (5, 31))])
    expect_equal("better", changes("worse.json", "old.json"), [("better", (5, 31), (4, 0))])
    expect(run("diff", "old.json", "worse.json"), 0, "worse ---", "k.cu:5 (was line 4)",
           "a = tile[x];", "degree 1 -> 32", "2 lines are as they were.", "in all")
    rows = expect(run("diff", "--format", "csv", "old.json", "worse.json"), 0).stdout.splitlines()
    expect_equal("CSV", (len(rows), rows[1].split(",")[0]), (2, "worse"))
    edited = [line.replace("a = tile[x]", "a = tile[x ^ 1]") for line in SOURCE]
    profile("edited.json", edited, {**STRIDES, "a = tile[x ^ 1];": 16})
    found = diff("old.json", "edited.json")["lines"]
    expect_equal("edited", [(line["change"], line["edited"]) for line in found], [("worse", True)])
    expect(run("diff", "old.json", "edited.json"), 0, "was a = tile[x];", "is  a = tile[x ^ 1];")
    swapped = [*SOURCE[:2], SOURCE[4], SOURCE[3], SOURCE[2], *SOURCE[5:]]
    profile("swapped.json", swapped)
    expect_equal("another order", changes("old.json", "swapped.json"), [])
    profile("fewer.json", [line for line in SOURCE if "tile[y]" not in line])
    expect_equal("gone", changes("old.json", "fewer.json"), [("gone", (5, 1), None)])
    expect_equal("new", changes("fewer.json", "old.json"), [("new", None, (5, 1))])


def check_without_text():
    """Older profiles keep no text: what the lines access, in which order, has to do."""
    old = load("old.json")
    del old["quotes"]
    save("bare.json", old)
    expect(run("diff", "bare.json", "old.json"), 0, "Nothing changed")
    expect_equal("worse", changes("bare.json", "worse.json"), [("worse", (4, 0), (5, 31))])
    empty = dict(old, launches=[])
    save("empty.json", empty)
    expect(run("diff", "empty.json", "empty.json"), 0, "Nothing changed: 0 lines of 0 kernels")
    expect_equal("all new", [line[0] for line in changes("empty.json", "old.json")], ["new"] * 3)


def check_kernels():
    one, other = load("old.json"), load("worse.json")
    one["launches"][0]["kernel"], other["launches"][0]["kernel"] = "column(int*)", "column(long*)"
    save("one.json", one)
    save("other.json", other)
    expect_equal("parameters", [line[0] for line in changes("one.json", "other.json")], ["worse"])
    hostile = "</script>%s\n::error::\x1b[31m\"'&,<x>"
    other["launches"][0]["kernel"] = hostile
    for quote in other["quotes"]:
        quote["text"] = hostile
    save("hostile.json", other)
    done = expect(run("diff", "one.json", "hostile.json"), 0, "new ---", "gone ---", no=("\x1b",))
    expect_equal("lines", len([l for l in done.stdout.splitlines() if l.startswith("::")]), 0)
    expect_equal("kernel", diff("one.json", "hostile.json")["kernels"][0]["kernel"], hostile)
    expect(run("diff", "--format", "csv", "one.json", "hostile.json"), 0, '""')


def check_refused():
    profile("other-arch.json", None, None, "--arch", "sm_75")
    expect(run("diff", "old.json", "other-arch.json"), 2, "two architectures")
    compiled = dict(load("old.json"), **{"as": "compiled"})
    save("compiled.json", compiled)
    expect(run("diff", "old.json", "compiled.json"), 2, "--as compiled")
    save("checked.json", dict(load("old.json"), counted=False, launches=[]))
    expect(run("diff", "checked.json", "old.json"), 2, "bankrun check")
    expect(run("diff", "old.json", "nowhere.json"), 2, "nowhere.json: No such file")
    expect(run("diff", "old.json"), 2, "which two profiles?")
    expect(run("diff", "old.json", "old.json", "old.json"), 2, "which two profiles?")
    expect(run("diff", "-", "-"), 2, "both profiles")
    expect(run("diff", "-o", "old.json", "old.json", "worse.json"), 2, "over the input")
    if os.path.exists("/dev/full"):
        expect(run("diff", "-o", "/dev/full", "old.json", "worse.json"), 2, "No space left")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BANKRUN, "diff", "old.json", "worse.json"], stdout=full,
                                  stderr=subprocess.PIPE, check=False, text=True)
        expect_equal("full", (done.returncode, "No space left" in done.stderr), (2, True))
    save("badquotes.json", dict(load("old.json"), quotes=[{"file": "k.cu", "line": "x", "text": ""}]))
    expect(run("diff", "badquotes.json", "old.json"), 2, "quotes[0].line: expected a whole number")


def check_regressions():
    for gate, status in (("regression", 6), ("regression=30", 6), ("regression=31", 0),
                         ("regression=500%", 6), ("regression@column", 6),
                         ("regression@k.cu:5", 6), ("regression@k.cu:6", 0),
                         ("regression@nobody", 4), ("excess", 3), ("excess=32", 0),
                         ("excess>=32", 3), ("excess>=33", 0), ("degree>=33", 0),
                         ("degree>=32", 3), ("degree>=2@k.cu:6", 3), ("degree>=3@k.cu:6", 0),
                         ("excess@k.cu:4", 0), ("excess@k.cu:5", 3), ("excess@colum[n]", 3),
                         ("excess@nobody", 4)):
        expect(run("diff", "--fail-on", gate, "old.json", "worse.json"), status)
        expect(run("report", *(["--baseline", "old.json"] if gate.startswith("reg") else []),
                   "--fail-on", gate, "worse.json"), status)
    expect(run("report", "--baseline", "old.json", "--fail-on", "regression", "worse.json"), 6,
           "k.cu:5: excess 0 -> 31 of 1 -> 32 wavefronts, in column", "1 line has more excess")
    expect(run("report", "--fail-on", "degree>=4", "worse.json"), 3,
           "k.cu:5: ld.shared.u32 conflicts 32 ways in column")
    # A half more than there was, and a line that grows from little.
    profile("half.json", None, {**STRIDES, "b = tile[y];": 12})
    profile("more.json", None, {**STRIDES, "b = tile[y];": 16})
    expect(run("diff", "--fail-on", "regression=200%", "old.json", "more.json"), 0)
    expect(run("diff", "--fail-on", "regression=199%", "old.json", "more.json"), 6)
    expect(run("diff", "--fail-on", "regression", "old.json", "half.json"), 0, "better")


def check_runs():
    """--baseline of a run: nothing runs where it cannot be compared."""
    words = ("--launch", LAUNCH, "--fail-on", "regression", "--baseline")
    profile("again.json", ["// moved", *SOURCE])
    expect(run("-q", *words, "old.json", "k.ptx"), 0)
    profile("again.json", ["// moved", *SOURCE], {**STRIDES, "a = tile[x];": 128})
    expect(run("-q", *words, "old.json", "k.ptx"), 6, "k.cu:5: excess 0 -> 31")
    expect(run("-q", *words, "other-arch.json", "k.ptx"), 2, "is of sm_75")
    expect(run("-q", *words, "compiled.json", "k.ptx"), 2, "--as compiled")
    expect(run("-q", *words, "nowhere.json", "k.ptx"), 2, "No such file")
    expect(run("-q", "--launch", LAUNCH, "--fail-on", "regression", "k.ptx"), 2, "against what?")
    expect(run("-q", "--launch", LAUNCH, "--baseline", "old.json", "k.ptx"), 2, "is not given")
    cut = load("old.json")
    cut["incomplete"] = [{"kind": "lost", "text": "a process was killed", "count": 1}]
    save("cut.json", cut)
    expect(run("diff", "--fail-on", "regression", "old.json", "cut.json"), 4, "incomplete")
    expect(run("diff", "--fail-on", "regression", "cut.json", "old.json"), 4, "cut.json: 1 reason")


def check_findings():
    """New findings of checkers are regressions, wherever their lines moved to; notes and accepted ones are none."""
    quiet = {**STRIDES, "b = tile[y];": 4}
    moved = ["// moved", "// down", *SOURCE]
    profile("clean.json", None, quiet, "--check", "race")
    profile("raced.json", None, None, "--check", "race")
    profile("moved.json", moved, None, "--check", "race")
    races = load("raced.json")["launches"][0]["findings"]
    expect_equal("a race", [f["check"] for f in races], ["race"])
    expect(run("diff", "clean.json", "raced.json"), 0, "new findings", "race/", "k.cu:5", "; in column", "0 findings are as before")
    expect(run("diff", "raced.json", "clean.json"), 0, "findings that are gone", "k.cu:5", no=("new findings",))
    expect(run("diff", "raced.json", "moved.json"), 0, "1 finding is as before", no=("new findings", "are gone"))
    for gate, status in (("regression", 6), ("regression=99", 6), ("regression@k.cu:5", 6), ("regression@column", 6),
                         ("regression@k.cu:4", 0)):
        expect(run("diff", "--fail-on", gate, "clean.json", "raced.json"), status)
    expect(run("diff", "--fail-on", "regression=99", "clean.json", "raced.json"), 6, "is new, in column",
           "1 finding that clean.json has not")
    expect(run("diff", "--fail-on", "regression", "raced.json", "moved.json"), 0)
    expect(run("diff", "--fail-on", "regression", "raced.json", "clean.json"), 0)
    found = diff("clean.json", "raced.json")
    expect_equal("findings", [(f["change"], f["check"], f["kernel"], f["note"]) for f in found["findings"]],
                 [("new", "race", "column", False)])
    expect_equal("texts", "b = tile[y];" in [p["text"] for p in found["findings"][0]["places"]], True)
    expect_equal("same", diff("raced.json", "moved.json")["same_findings"], 1)
    expect(run("diff", "--format", "csv", "clean.json", "raced.json"), 0, "\nnew,column,race,")
    # What the other run did not look for is neither new nor gone.
    expect(run("diff", "--fail-on", "regression=99", "old.json", "raced.json"), 0, no=("finding",))
    expect_equal("unasked", "findings" in diff("old.json", "raced.json"), False)
    noted, accepted = load("raced.json"), load("raced.json")
    noted["launches"][0]["findings"][0]["note"] = True
    accepted["launches"][0]["findings"][0]["suppressed"] = "known"
    for name, data in (("noted", noted), ("accepted", accepted)):
        save("other.json", data)
        expect(run("diff", "--fail-on", "regression=99", "clean.json", "other.json"), 0, "new findings")
    # Of an edited line the kind, the kernel and the array say which it is.
    edited = load("raced.json")
    for quote in edited["quotes"]:
        quote["text"] += " // edited"
    save("edited.json", edited)
    expect(run("diff", "raced.json", "edited.json"), 0, "1 finding is as before", no=("new findings",))
    # Of checks alone.
    for name, strides in (("none", quiet), ("some", STRIDES)):
        with open("k.ptx", "w", encoding="utf-8") as file:
            file.write(module(SOURCE, strides, "column"))
        run("check", "--check", "race", "--format", "json", "-o", f"{name}.json", "--launch", LAUNCH, "k.ptx")
    expect(run("diff", "--fail-on", "regression", "none.json", "some.json"), 6, "new findings", no=("wavefronts",))
    expect(run("diff", "--fail-on", "regression", "some.json", "none.json"), 0, "are gone")


def check_words():
    for gate, words in (("degree", "write degree>=N"), ("degree=3", "write degree>=N"),
                        ("excess>3", "a limit is =N or >=N"), ("excess=x", "is no number"),
                        ("excess>=0", "would always fail"), ("regression>=3", "may remain"),
                        ("excess=3%", "only @WHERE"), ("excess@", "where?"),
                        ("excess=99999999999999999999", "is no number")):
        expect(run("report", "--fail-on", gate, "old.json"), 2, words)
    # Commas of a template's arguments are no end of a word; the last limit of a place counts.
    expect(run("report", "--fail-on", "excess@k<1, (2)>,fault", "old.json"), 4, "excess@k<1, (2)>:")
    expect(run("report", "--fail-on", "excess,excess=9", "old.json"), 0)


def main():
    with tempfile.TemporaryDirectory() as folder:
        global BANKRUN
        BANKRUN = os.path.abspath(BANKRUN)
        os.chdir(folder)
        check_same()
        check_changes()
        check_without_text()
        check_kernels()
        check_refused()
        check_regressions()
        check_runs()
        check_findings()
        check_words()
        os.chdir("/")
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
