"""docs/architecture.md: the drawing is the table of tools/check_includes.py, which allows nothing that
nobody does, the stops of its walk and all files that it names are there."""

import glob
import os
import re
import sys

sys.path.insert(0, "tools")
import check_includes  # noqa: E402

STOP = re.compile(r"^(\d+)\. `([\w/.]+)`, `(\w+)`", re.MULTILINE)
FILE = re.compile(r"`([\w/.*-]+\.(?:c|h|def|py|md))`")
MOST_STOPS = 15
problems = []


def check_drawing(page):
    drawing = "\n".join("    " + line for line in check_includes.drawing().splitlines())
    if drawing not in page:
        problems.append("the drawing is not that of the table; tools/check_includes.py --draw prints\n"
                        + drawing)


def check_rooms(page):
    rows = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    if rows != set(check_includes.ROOMS):
        problems.append(f"rooms described: {sorted(rows ^ set(check_includes.ROOMS))} differ")


def check_walk(page):
    stops = STOP.findall(page)
    if not 8 <= len(stops) <= MOST_STOPS or [int(n) for n, _, _ in stops] != \
            list(range(1, len(stops) + 1)):
        problems.append(f"the walk has the stops {[n for n, _, _ in stops]}")
    for number, path, function in stops:
        if not os.path.exists(path):
            problems.append(f"stop {number}: there is no {path}")
            continue
        with open(path, encoding="utf-8") as file:
            # At the beginning of a line, or the end of a declaration that breaks there.
            if not re.search(rf"^[a-zA-Z][\w *]*\b{function}\(", file.read(), re.MULTILINE):
                problems.append(f"stop {number}: {path} has no function {function}")


def check_files(page):
    """A file is named by its path from the root, or by the end of it."""
    known = ["/" + path for top in ("src", "include", "tests", "tools", "docs", "bench", "python")
             for path in glob.glob(top + "/**", recursive=True)]
    for name in sorted(set(FILE.findall(page))):
        pattern = re.compile("/" + re.escape(name).replace(r"\*", r"\w*") + "$")
        if not any(pattern.search(path) for path in known):
            problems.append(f"there is no {name}")


def main():
    with open("docs/architecture.md", encoding="utf-8") as file:
        page = file.read()
    for check in (check_drawing, check_rooms, check_walk, check_files):
        check(page)
    problems.extend(check_includes.unmade_uses("src"))
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
