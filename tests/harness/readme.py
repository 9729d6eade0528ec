"""Kind readme: every ```console block of README.md, docs/*.md and docs/how-to/*.md is run.

A line that starts with `$ ` is a command; what follows up to the next command is its output, stdout
and stderr together. `...` stands for any text in a line, and for any number of lines when it is
alone. `make` and `git` commands are not run: the other tests have run them.
"""

import os
import re

from .case import Case, Failure, Skip, check_sanitizers, diff, text_of


def read_blocks(path):
    """(line, [(command, expected lines)]) of each console block."""
    blocks, block = [], None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip()
            if block is None:
                if line.strip() == "```console":
                    block = (number, [])
            elif line.strip() == "```":
                blocks.append(block)
                block = None
            elif line.startswith("$ "):
                block[1].append([line[2:], []])
            elif block[1] and block[1][-1][0].endswith("\\") and not block[1][-1][1]:
                block[1][-1][0] += "\n" + line
            elif block[1]:
                block[1][-1][1].append(line)
    return blocks


def line_fits(want, got):
    return re.fullmatch(".*".join(map(re.escape, want.split("..."))), got) is not None


def fits(want, got):
    """Whether lines fit expected ones, where `...` alone is any number of lines."""
    if not want:
        return not got
    if want[0].strip() == "...":
        return any(fits(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and line_fits(want[0], got[0]) and fits(want[1:], got[1:])


def run_block(context, commands):
    for command, expected in commands:
        if re.match(r"(sudo |make\b|git )", command):
            continue
        if not context.nvcc and ".cu" in command:
            raise Skip("nvcc is not there")
        process = context.execute(["bash", "-c", "exec 2>&1\nunset BANKRUN_AS\n" + command])
        check_sanitizers(process)
        got = [line.rstrip() for line in text_of(process.stdout).rstrip().splitlines()]
        while expected and not expected[-1]:
            expected = expected[:-1]
        if not fits(expected, got):
            raise Failure(f"$ {command}\n" + diff("\n".join(expected), "\n".join(got), "output"))


def collect(context):
    if context.sanitizer != "none":
        return []
    cases = []
    pages = ["README.md"]
    for folder in ("docs/", "docs/how-to/"):
        if os.path.isdir(context.path(folder)):
            pages += sorted(folder + n for n in os.listdir(context.path(folder)) if n.endswith(".md"))
    for page in pages:
        if os.path.exists(context.path(page)):
            for number, commands in read_blocks(context.path(page)):
                cases.append(Case("readme", f"{page}:{number}",
                                  lambda c=commands: run_block(context, c)))
    return cases
