"""Kind check: bad kernels and their mended twins, and those that the pages of docs/checks show.

Each tests/check/NAME.cu is run by `bankrun check`, with one host thread and with three (where a
sanitizer looks on, with three alone). Comments say
what it has to find, all of it and nothing else: `// finds: race write-write 14 17` is a checker, a
kind and the lines of its places; `// finds: nothing`. Also `// notes:` in the same way, `// args:` for
the program, `// bankrun:` options, and `// status:` where it is neither 5 (it finds something) nor 0.
A line `// run:` begins another run of the program, with the arguments that it names: what follows is
about that run alone.
A page of docs/checks is named like a kind; each of its blocks of ```cuda is such a program, run once,
the first finds that kind, the last one nothing.
"""

import json
import os
import re
import shlex
import tempfile

from .case import Case, Failure, Skip, check_sanitizers, shown, tail

DIRECTIVE = re.compile(r"^\s*//\s*(finds|notes|args|bankrun|status|run):\s?(.*)$")
BLOCK = re.compile(r"^```cuda\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def no_directives():
    return {"finds": [], "notes": [], "args": [], "bankrun": [], "status": None}


def read_runs(text):
    """What each run of the program wants."""
    runs = [no_directives()]
    for line in text.splitlines():
        match = DIRECTIVE.match(line)
        if not match:
            continue
        word, rest = match[1], match[2].strip()
        found = runs[-1]
        if word == "run":
            runs.append({**no_directives(), "args": shlex.split(rest)})
        elif word == "status":
            found[word] = int(rest)
        elif word in ("finds", "notes"):
            found[word].append([] if rest == "nothing" else rest.split())
        else:
            found[word] += shlex.split(rest)
    return runs


def findings_of(profile):
    for launch in profile["launches"]:
        yield from launch.get("findings", [])
    yield from profile.get("findings", [])


def line_of(finding, is_note):
    """A finding as directives have it; None: it is of the other sort."""
    if finding["note"] != is_note:
        return None
    lines = [str(place["line"]) for place in finding["places"] if place["line"]]
    return " ".join([finding["check"], finding["kind"]] + lines)


def check_lines(wanted, profile, is_note, where):
    expected = sorted(" ".join(words) for words in wanted if words)
    found = {line_of(f, is_note) for f in findings_of(profile)} - {None}
    if "memory leak" not in expected:  # whoever does not ask about them need not free
        found.discard("memory leak")
    found = sorted(found)
    if expected != found:
        word = "notes" if is_note else "finds"
        raise Failure(f"{where}: {word}\n" + "".join(f"    {line}\n" for line in found)
                      + "  but it should be\n" + "".join(f"    {line}\n" for line in expected))


def run_once(context, source, wants, threads, folder):
    path = os.path.join(folder, f"profile{threads}.json")
    command = [context.bankrun, "check", "--threads", str(threads), "--format", "json", "-o", path]
    command += wants["bankrun"] + [source] + wants["args"]
    process = context.execute(command)
    check_sanitizers(process)
    status = wants["status"]
    if status is None:
        status = 5 if any(wants["finds"]) else 0
    if process.returncode != status:
        raise Failure(f"status {process.returncode} instead of {status}: {shown(command)}\n"
                      + tail(process.stdout + process.stderr))
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    check_lines(wants["finds"], profile, False, shown(command))
    check_lines(wants["notes"], profile, True, shown(command))
    return list(findings_of(profile))


def run_program(context, source, text, compares):
    if not context.nvcc:
        raise Skip("nvcc is not there")
    for wants in read_runs(text):
        if not wants["finds"]:
            raise Failure("no `// finds:` says what to find")
        run_threads(context, source, wants, compares)


def run_threads(context, source, wants, compares):
    with tempfile.TemporaryDirectory(dir=context.scratch) as folder:
        several = run_once(context, source, wants, 3, folder)
        if not compares:
            return
        one = run_once(context, source, wants, 1, folder)
        if one != several:
            raise Failure("other findings with three threads than with one:\n"
                          f"    {json.dumps(one)}\n    {json.dumps(several)}")


def run_block(context, text):
    with tempfile.TemporaryDirectory(dir=context.scratch) as folder:
        source = os.path.join(folder, "page.cu")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        run_program(context, source, text, compares=False)


def check_page(context, name):
    """What a page has to have, apart from its programs."""
    with open(context.path("docs", "checks", name), encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    kinds = [{words[1] for wants in read_runs(block) for words in wants["finds"] + wants["notes"]
              if words} for block in blocks]
    if len(blocks) < 2 or name[:-3] not in kinds[0] or kinds[-1]:
        raise Failure("its first program has to find what the page is about, and its last nothing")


def collect(context):
    cases = []
    for name in context.files("check", ".cu"):
        path = os.path.join("tests", "check", name)
        with open(context.path(path), encoding="utf-8") as file:
            text = file.read()
        cases.append(Case("check", name, lambda p=path, t=text:
                          run_program(context, p, t, compares=context.sanitizer == "none")))
    pages = context.path("docs", "checks")
    for name in sorted(os.listdir(pages)):
        if name == "README.md" or not name.endswith(".md") or context.sanitizer != "none":
            continue
        cases.append(Case("check", "page " + name, lambda n=name: check_page(context, n)))
        with open(os.path.join(pages, name), encoding="utf-8") as file:
            for number, block in enumerate(BLOCK.findall(file.read())):
                cases.append(Case("check", f"page {name} {number + 1}",
                                  lambda b=block: run_block(context, b)))
    return cases
