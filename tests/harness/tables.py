"""The tables in the comments of gallery programs: what bankrun counts for each kernel.

A table is a comment line `// bankrun counts  op  array  requests ...` and the rows below it, one
for each kernel, operation and array: shared-memory loads, atomics and matrices, and whatever else
has excess. `// bankrun --arch sm_13 counts` is one for another architecture. One of `sectors` in place
of `wavefronts` is about the loads and atomics of global memory; it has no array and no degree.
`--rebase` writes them.
"""

import json
import os
import re
from collections import OrderedDict

from .case import Failure, tail

HEAD = re.compile(r"^// bankrun(?: --arch (\w+))? counts +"
                  r"(?:op +array +requests +wavefronts +ideal +degree|"
                  r"op +requests +(sectors) +ideal)$")
ROW = re.compile(r"^//   (\S.*?)  +(\w+)(?: +(\S*[^\d,\s]\S*))? +([\d,]+) +([\d,]+) +([\d,]+)"
                 r"(?: +(\d+))?$")


def kernel_name(text):
    """The kernel without return type and parameters: `stride<7>`."""
    depth = 0
    for i, letter in enumerate(text):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and depth == 0:
            text = text[:i]
            break
    for long, short in (("void ", ""), ("fast::", ""), ("(int)", ""), ("> >", ">>")):
        text = text.replace(long, short)
    return text


def sectors_of(profile):
    """{(kernel, op, None): [requests, sectors, ideal]} in the order of the launches."""
    sums = OrderedDict()
    for launch in profile["launches"]:
        for site in launch["sites"]:
            if site["space"] != "global" or site["op"] == "store":
                continue
            row = sums.setdefault((kernel_name(launch["kernel"]), site["op"], None), [0, 0, 0])
            for i, name in enumerate(("requests", "sectors", "ideal_sectors")):
                row[i] += site[name] * launch.get("repeats", 1)
    return sums


def rows_of(profile):
    """{(kernel, op, array): [requests, wavefronts, ideal, degree]} in the order of the launches."""
    sums = OrderedDict()
    for launch in profile["launches"]:
        for site in launch["sites"]:
            if site["space"] != "shared":
                continue
            key = (kernel_name(launch["kernel"]), site["op"], site["array"] or "-")
            row = sums.setdefault(key, [0, 0, 0, 0])
            for i, name in enumerate(("requests", "wavefronts", "ideal")):
                row[i] += site[name] * launch.get("repeats", 1)
            row[3] = max(row[3], site["worst_degree"])
    return OrderedDict((key, row) for key, row in sums.items()
                       if key[1] != "store" or row[1] > row[2])


def read_tables(path):
    """[(architecture or None, is of sectors, first line of rows, {key: row})]; lines are 0-based."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    tables = []
    for number, line in enumerate(lines):
        head = HEAD.match(line)
        if not head:
            continue
        rows = OrderedDict()
        for below in lines[number + 1:]:
            row = ROW.match(below)
            if not row:
                break
            rows[row[1], row[2], row[3]] = [int(n.replace(",", "")) for n in row.groups()[3:] if n]
        tables.append((head[1], bool(head[2]), number + 1, rows))
    return tables


def layout(architecture, rows):
    """The lines of a table."""
    title = f"bankrun --arch {architecture} counts" if architecture else "bankrun counts"
    wide = max([len(title)] + [len(kernel) + 2 for kernel, _, _ in rows])
    ops = max([2] + [len(op) for _, op, _ in rows])
    counts = [max([len(title)] + [len(f"{row[i]:,}") for row in rows.values()])
              for i, title in enumerate(("requests", "wavefronts", "ideal"))]
    arrays = max([5] + [len(array) for _, _, array in rows])
    a, b, c = counts
    lines = [f"// {title:{wide}}  {'op':{ops}}  {'array':{arrays}}  {'requests':>{a}}  "
             f"{'wavefronts':>{b}}  {'ideal':>{c}}  degree"]
    for (kernel, op, array), (requests, wavefronts, ideal, degree) in rows.items():
        lines.append(f"//   {kernel:{wide - 2}}  {op:{ops}}  {array:{arrays}}  {requests:{a},}  "
                     f"{wavefronts:{b},}  {ideal:{c},}  {degree:6}")
    return lines


def layout_of_sectors(rows):
    titles = ("requests", "sectors", "ideal")
    wide = max([len("bankrun counts")] + [len(kernel) + 2 for kernel, _, _ in rows])
    ops = max([2] + [len(op) for _, op, _ in rows])
    columns = [max([len(title)] + [len(f"{row[i]:,}") for row in rows.values()])
               for i, title in enumerate(titles)]
    lines = [f"// {'bankrun counts':{wide}}  {'op':{ops}}  " +
             "  ".join(f"{title:>{width}}" for title, width in zip(titles, columns))]
    for (kernel, op, _), row in rows.items():
        lines.append(f"//   {kernel:{wide - 2}}  {op:{ops}}  " +
                     "  ".join(f"{number:{width},}" for number, width in zip(row, columns)))
    return lines


def rewrite(path, at, old, written):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    lines[at - 1:at + len(old)] = written
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def compare(old, new):
    wrong = []
    for key in list(old) + [key for key in new if key not in old]:
        if old.get(key) != new.get(key):
            wrong.append(f"    {' '.join(key)}: written {old.get(key)}, counted {new.get(key)}")
    return wrong


def profile_of(context, source, arguments, architecture, folder):
    out = os.path.join(folder, f"{architecture}.json")
    command = [context.bankrun, "run", "--quiet", "--arch", architecture, "--format", "json", "-o",
               out, source] + arguments
    process = context.execute(command)
    if process.returncode:
        raise Failure(f"--arch {architecture} failed\n" + tail(process.stderr))
    return out


def check(context, source, arguments, profile, folder):
    """Holds the tables of a source against its profile. True: rebased, and lines moved."""
    path = context.path(source)
    if source.startswith("gallery") and not read_tables(path):
        raise Failure("has no table in its comment: see tests/harness/tables.py")
    moved = False
    for index, (architecture, is_of_sectors, _, _) in enumerate(read_tables(path)):
        saved = profile
        if architecture:
            saved = profile_of(context, source, arguments, architecture, folder)
        with open(saved, encoding="utf-8") as file:
            counted = (sectors_of if is_of_sectors else rows_of)(json.load(file))
        _, _, at, old = read_tables(path)[index]
        if context.rebase:
            rewrite(path, at, old, layout_of_sectors(counted) if is_of_sectors
                    else layout(architecture, counted))
            moved = moved or len(old) != len(counted)
            continue
        wrong = compare(old, counted)
        if wrong:
            raise Failure("the table in its comment is wrong:\n" + "\n".join(wrong))
    return moved
