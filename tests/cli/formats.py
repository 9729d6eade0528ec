"""--format sarif, github, gitlab, junit and cachegrind: of runs and of saved profiles, whatever names say."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as xml

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))
FORMATS = ("sarif", "github", "gitlab", "junit", "cachegrind")
PTX = """.version 7.0
.target sm_80
.address_size 64
.visible .entry column(.param .u64 out) {
.reg .b32 %r<4>;
.shared .align 4 .b8 tile[4096];
mov.u32 %r1, %tid.x;
mov.u32 %r2, tile;
mad.lo.u32 %r2, %r1, 128, %r2;
.loc 1 2 5
st.shared.u32 [%r2], %r1;
.loc 1 3 5
ld.shared.u32 %r3, [tile];
ret;
}
.file 1 "k.cu"
"""
# What each of the formats gives a meaning to, and a byte that no XML may hold.
HOSTILE = "a%b\r\n::error file=x,line=1::y,:<&>\"']]>\x01\x1b[31m\ufffe\u202e"
problems = []


def run(*words, **more):
    return subprocess.run([BANKRUN, *words], capture_output=True, check=False, cwd=FOLDER,
                          stdin=subprocess.DEVNULL, **more)


def expect(what, is_true, found=""):
    if not is_true:
        problems.append(f"{what}: {found}")


def expect_equal(what, found, wanted):
    expect(what, found == wanted, f"{found!r} instead of {wanted!r}")


def report(form, saved, *words):
    done = run("report", "--format", form, *words, saved)
    if done.returncode or done.stderr:
        sys.exit(f"report --format {form} {saved}: {done.returncode} {done.stderr.decode()}")
    return done.stdout


def save(name, data):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        json.dump(data, file)


def load(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def make_profiles():
    with open(os.path.join(FOLDER, "k.ptx"), "w", encoding="utf-8") as file:
        file.write(PTX)
    with open(os.path.join(FOLDER, "k.cu"), "w", encoding="utf-8") as file:
        file.write("__global__ void column() {\n    tile[x][0] = x;\n    y = tile[0][0];\n}\n")
    done = run("--format", "json", "-o", "run.json", "--launch", "column<<<1, 32>>>(out:u32[32])",
               "k.ptx")
    expect_equal("the run", done.returncode, 0)
    whole = load("run.json")
    save("empty.json", dict(whole, launches=[]))
    hostile = json.loads(json.dumps(whole))
    launch = hostile["launches"][0]
    launch["kernel"] = HOSTILE
    hostile["program"] = [HOSTILE]
    for site in launch["sites"]:
        site["file"] = HOSTILE
        if site["worst"] and site["worst"]["why"]:
            site["worst"]["why"] = HOSTILE
    launch["fault"] = HOSTILE
    launch["findings"] = [FINDING]
    hostile["checks"] = ["race"]
    hostile["quotes"] = [{"file": HOSTILE, "line": 2, "text": HOSTILE}]
    hostile["incomplete"] = [{"kind": "lost", "text": HOSTILE, "count": 1}]
    save("hostile.json", hostile)


FINDING = {"check": "race", "kind": "write-write", "message": "two threads write it",
           "object": "tile[0]", "note": False, "help": "put a barrier between them", "count": 3,
           "places": [{"role": "writes", "file": "k.cu", "line": line, "column": 5,
                       "function": "column", "instruction": "st.shared.u32"} for line in (2, 3)]}


# ---- SARIF ------------------------------------------------------------------------------------

def check_sarif_places(what, result):
    for location in result["locations"] + result.get("relatedLocations", []):
        physical = location.get("physicalLocation")
        if physical:
            uri = physical["artifactLocation"]["uri"]
            allowed = "/-._~%ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:"
            expect(what + " URI", set(uri) <= set(allowed), uri)
            expect(what + " line", physical["region"]["startLine"] >= 1)


def check_sarif(saved):
    """The properties that the schema of 2.1.0 requires, and what it has words for."""
    log = json.loads(report("sarif", saved))
    expect_equal("version", log["version"], "2.1.0")
    run_ = log["runs"][0]
    driver = run_["tool"]["driver"]
    expect_equal("name", driver["name"], "bankrun")
    ids = [rule["id"] for rule in driver["rules"]]
    expect_equal("rules", len(set(ids)), len(ids))
    expect("successful", isinstance(run_["invocations"][0]["executionSuccessful"], bool))
    for result in run_["results"]:
        expect_equal("rule", ids[result["ruleIndex"]], result["ruleId"])
        expect("level", result["level"] in ("error", "warning", "note"), result["level"])
        expect("message", isinstance(result["message"]["text"], str))
        check_sarif_places(saved, result)
    schema = os.environ.get("SARIF_SCHEMA")  # the published one, where somebody has it
    if schema:
        import jsonschema
        with open(schema, encoding="utf-8") as file:
            text = json.load(file)
        jsonschema.validators.validator_for(text)(text).validate(log)
    return run_


def check_sarif_values():
    results = check_sarif("run.json")["results"]
    expect_equal("results", [(r["ruleId"], r["level"]) for r in results],
                 [("bank-conflict", "warning")])
    place = results[0]["locations"][0]["physicalLocation"]
    expect_equal("place", (place["artifactLocation"]["uri"], place["region"]["startLine"],
                           place["region"]["snippet"]["text"]), ("k.cu", 2, "tile[x][0] = x;"))
    figures = results[0]["properties"]
    expect_equal("figures", (figures["wavefronts"], figures["ideal"], figures["excess"],
                             figures["worst_degree"]), (32, 1, 31, 32))
    expect_equal("empty", check_sarif("empty.json")["results"], [])
    hostile = check_sarif("hostile.json")
    expect_equal("rules", [r["id"] for r in hostile["tool"]["driver"]["rules"]],
                 ["bank-conflict", "race/write-write", "launch/cut-short"])
    uri = hostile["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    expect_equal("hostile file", urllib.parse.unquote(uri), HOSTILE)
    expect_equal("the other side", hostile["results"][1]["relatedLocations"][0]["physicalLocation"]
                 ["region"]["startLine"], 3)
    invocation = hostile["invocations"][0]
    expect_equal("incomplete", (invocation["executionSuccessful"],
                                len(invocation["toolExecutionNotifications"])), (False, 1))


# ---- The others ---------------------------------------------------------------------------------

def check_github():
    lines = report("github", "run.json").decode().splitlines()
    expect("one line", len(lines) == 1 and
           lines[0].startswith("::warning file=k.cu,line=2,title=32-way bank conflict::"), lines)
    expect_equal("empty", report("github", "empty.json"), b"")
    lines = report("github", "hostile.json").decode().splitlines()
    expect_equal("commands", [line.split(" ")[0] for line in lines],
                 ["::warning", "::error", "::error", "::error"])
    for line in lines:
        expect("no terminal", "\x1b" not in line and "\x01" not in line, line)
    place, message = lines[0].split("::", 2)[1:]
    expect("file", "file=a%25b?%0A%3A%3Aerror file=x%2Cline=1%3A%3Ay%2C%3A<&>" in place, place)
    expect("message", "::error file=x,line=1::y" in message and "%25b" in message, message)


def check_gitlab():
    """As GitLab asks of a code quality report: these fields, severities of its own, fingerprints that differ."""
    issues = json.loads(report("gitlab", "run.json"))
    expect_equal("issues", [(issue["check_name"], issue["severity"], issue["location"]) for issue in issues],
                 [("bank-conflict", "major", {"path": "k.cu", "lines": {"begin": 2}})])
    expect("words", issues[0]["description"].startswith("32-way bank conflict: ")
           and issues[0]["description"].endswith("(in column)"), issues[0]["description"])
    expect_equal("empty", json.loads(report("gitlab", "empty.json")), [])
    with open(os.path.join(FOLDER, "list"), "w", encoding="utf-8") as file:
        file.write("conflict * k.cu:2 it is so\n")
    expect_equal("accepted", json.loads(report("gitlab", "run.json", "--suppressions", "list")), [])
    # A line that has moved is the same issue, another kernel's is none.
    prints = []
    for change in ({}, {"line": 7}, {"kernel": "other"}):
        with open(os.path.join(FOLDER, "run.json"), encoding="utf-8") as file:
            data = json.load(file)
        for launch in data["launches"]:
            launch["kernel"] = change.get("kernel", launch["kernel"])
        for row in [site for launch in data["launches"] for site in launch["sites"]] + data["quotes"]:
            row["line"] += change.get("line", 0)
        save("moved.json", data)
        prints.append(json.loads(report("gitlab", "moved.json"))[0]["fingerprint"])
    expect("fingerprints", prints[0] == prints[1] != prints[2] and len(prints[0]) == 32, prints)
    hostile = json.loads(report("gitlab", "hostile.json"))
    expect("hostile", hostile and {issue["severity"] for issue in hostile} <= {"critical", "major", "info"}, hostile)
    expect_equal("each its own", len({issue["fingerprint"] for issue in hostile}), len(hostile))


def check_junit():
    root = xml.fromstring(report("junit", "run.json"))
    expect_equal("counts", (root.get("tests"), root.get("failures"), root.get("errors")),
                 ("1", "1", "0"))
    case = root.find("testsuite/testcase")
    expect_equal("case", (case.get("name"), case.find("failure").get("type")),
                 ("column", "bank-conflict"))
    expect("text", case.find("failure").text.startswith("k.cu:2: 32-way bank conflict: st.shared"))
    for limit, failures in ((30, "1"), (31, "0")):
        done = run("report", "--format", "junit", "--fail-on", f"excess={limit}", "run.json")
        expect_equal(f"over {limit}", xml.fromstring(done.stdout).get("failures"), failures)
    expect_equal("empty", xml.fromstring(report("junit", "empty.json")).get("tests"), "0")
    root = xml.fromstring(report("junit", "hostile.json"))
    expect_equal("cases", [[child.tag for child in case] for case in root.iter("testcase")],
                 [["error"], ["error"]])
    expect("name", root.find("testsuite/testcase").get("name").startswith("a%b?\n::error"))
    with open(os.path.join(FOLDER, "list"), "w", encoding="utf-8") as file:
        file.write("conflict * k.cu:2 it is <meant> so\n")
    root = xml.fromstring(report("junit", "run.json", "--suppressions", "list"))
    expect_equal("accepted", (root.get("failures"), "it is <meant> so" in
                              root.find(".//system-out").text), ("0", True))
    suppressed = json.loads(report("sarif", "run.json", "--suppressions", "list"))
    expect_equal("suppressions", suppressed["runs"][0]["results"][0]["suppressions"],
                 [{"kind": "external", "justification": "it is <meant> so"}])
    expect_equal("no command", report("github", "run.json", "--suppressions", "list"), b"")


def check_cachegrind():
    lines = report("cachegrind", "run.json").decode().splitlines()
    expect_equal("events", lines[2], "events: Wavefronts Ideal Excess Requests "
                 "Sectors SectorsIdeal SectorsExcess SectorRequests")
    expect_equal("counts", lines[5:], ["2 32 1 31 1 0 0 0 0", "3 1 1 0 1 0 0 0 0",
                                       "summary: 33 2 31 2 0 0 0 0"])
    for saved in ("run", "empty", "hostile"):
        lines = report("cachegrind", saved + ".json").decode().splitlines()
        for line in lines:
            expect("a line", line.split("=")[0] in ("fl", "fn") or line.split(":")[0] in
                   ("desc", "cmd", "events", "summary") or line.split()[0].isdigit(), line)
        sums = [sum(column) for column in zip(*[map(int, line.split()[1:]) for line in lines
                                                if line[0].isdigit()])] or [0] * 8
        expect_equal("summary", lines[-1], "summary: " + " ".join(map(str, sums)))
    if not shutil.which("cg_annotate"):
        print("without cg_annotate")
        return
    with open(os.path.join(FOLDER, "out"), "wb") as file:
        file.write(report("cachegrind", "run.json"))
    done = subprocess.run(["cg_annotate", "out"], cwd=FOLDER, capture_output=True, check=False,
                          text=True)
    expect_equal("cg_annotate", done.returncode, 0)
    expect("annotated", "tile[x][0] = x;" in done.stdout and "k.cu:column" in done.stdout,
           done.stdout + done.stderr)


def check_metrics():
    """--metrics of CSV: the columns add up to what --metrics says of the launch."""
    text = run("report", "--metrics", "run.json").stdout.decode()
    said = dict(line.split() for line in text.splitlines() if line.strip().endswith(tuple("0123456789"))
                and ".sum " in line)
    rows = list(csv.DictReader(io.StringIO(report("csv", "run.json", "--metrics").decode())))
    names = [name for name in rows[0] if name.endswith(".sum")]
    expect_equal("names", sorted(names), sorted(said))
    expect_equal("sums", {name: str(sum(int(row[name]) for row in rows)) for name in names}, said)
    expect_equal("wavefronts", rows[0]["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"], "32")
    for saved in ("empty.json", "hostile.json"):
        table = report("csv", saved, "--metrics").decode().split("\r\n\r\n")[0]
        expect_equal("widths", len({len(row) for row in csv.reader(io.StringIO(table, newline=""))}), 1)
    expect("no columns", b".sum" not in report("csv", "run.json"))


def check_all():
    for form in FORMATS:
        done = run("--format", form, "-o", "-", "--launch", "column<<<1, 32>>>(out:u32[32])", "k.ptx")
        expect_equal(f"a run as {form}", done.returncode, 0)
        saved = report(form, "run.json")
        if form != "sarif" and form != "junit":  # which name the program
            expect_equal(f"{form} of a run", done.stdout.splitlines()[3:], saved.splitlines()[3:])
        done = run("report", "--format", form, "-o", "/dev/full", "run.json")
        expect(f"{form} on a full disk", done.returncode == 2 and b"No space left" in done.stderr)
        done = run("diff", "--format", form, "run.json", "run.json")
        expect(f"diff as {form}", done.returncode == 2 and b"is none of" in done.stderr, done.stderr)


with tempfile.TemporaryDirectory() as FOLDER:
    make_profiles()
    check_sarif_values()
    check_github()
    check_junit()
    check_gitlab()
    check_cachegrind()
    check_metrics()
    if os.path.exists("/dev/full"):
        check_all()
print("\n".join(problems))
sys.exit(1 if problems else 0)
