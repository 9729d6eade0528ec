"""A report of many launches stays short, with the worst line first; --by and --top choose what it is
about, and say nothing that the profile does not."""

import json
import os
import subprocess
import sys
import tempfile

BANKRUN = os.environ["BANKRUN"]
KERNELS = 30

if not os.environ.get("BANKRUN_TEST_NVCC"):
    print("needs nvcc")
    sys.exit(77)

# Kernel n conflicts n + 1 ways at one line of its own; all of them at a line that they share.
SHARED = """
__device__ int again(const int *words, int by) {
    return words[threadIdx.x * by % 1024]; // shared
}
"""
KERNEL = """
__global__ void kernel_%d(int *out) {
    __shared__ int words[1024];
    for (int i = 0; i < 32; i++)
        words[i * 32 + threadIdx.x] = i;
    __syncwarp();
    int sum = words[threadIdx.x * %d %% 1024]; // own %d
    out[threadIdx.x] = sum + again(words, 2);
}
"""


def bankrun(*arguments):
    return subprocess.run([BANKRUN, *arguments], capture_output=True, text=True, check=False)


def check(holds, what):
    if not holds:
        sys.exit(what)


def rows_of(text, heading):
    """The rows of the table with this heading: the label, and the four numbers."""
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.split() and line.split()[0] == heading)
    rows = []
    for line in lines[at + 1:]:
        parts = line.replace(",", "").rsplit(None, 4)
        if len(parts) < 5 or not parts[1].isdigit():
            break
        rows.append((parts[0].strip(), [int(n) for n in parts[1:]]))
    return rows


def excess_by_line(profile):
    sums = {}
    for launch in profile["launches"]:
        for site in launch["sites"]:
            if site["space"] == "shared":
                sums.setdefault(site["line"], 0)
                sums[site["line"]] += launch["repeats"] * (site["wavefronts"] - site["ideal"])
    return {line: excess for line, excess in sums.items() if excess}


with tempfile.TemporaryDirectory() as folder:
    source, saved = os.path.join(folder, "many.cu"), os.path.join(folder, "many.json")
    text = SHARED + "".join(KERNEL % (n, n + 1, n) for n in range(KERNELS))
    text += "int main() {\n    int *out;\n    cudaMalloc(&out, 128);\n"
    text += "".join(f"    kernel_{n}<<<1, 32>>>(out);\n" for n in range(KERNELS))
    text += "    kernel_9<<<3, 32>>>(out);\n    return cudaDeviceSynchronize();\n}\n"
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    result = bankrun("--format", "json", "-o", saved, source)
    check(result.returncode == 0, result.stderr)
    with open(saved, encoding="utf-8") as file:
        profile = json.load(file)
    excess = excess_by_line(profile)

    report = bankrun("report", saved).stdout
    lines = report.split("\n")
    check(len(lines) < 60, f"{len(lines)} lines for {KERNELS} kernels:\n{report}")
    rows = rows_of(report, "line")
    worst = max(excess, key=excess.get)
    check(len(rows) == 10 and rows[0][0].split(" in ")[0].endswith(f"many.cu:{worst}"),
          f"line {worst} is the worst:\n{report}")
    for label, (_, wavefronts, ideal, more) in rows:
        line = int(label.split(" in ")[0].rsplit(":", 1)[1])
        check(more == excess[line] == wavefronts - ideal, f"line {line}: {label} {excess[line]}")
    check([row[1][3] for row in rows] == sorted(excess.values(), reverse=True)[:10], report)
    check(f"\n  {source}:{worst}: " in report and "why  " in report, f"no picture:\n{report}")
    named = [label for label, _ in rows if " in " not in label]
    check(len(named) <= 1, f"only the line that all kernels share is of none: {named}")

    kernels = rows_of(report, "kernel")
    check(kernels[0][1][3] >= kernels[1][1][3] and kernels[-1][0] != "in all", report)
    whole = bankrun("report", "--by", "kernel", "--top", "99", saved).stdout
    table = rows_of(whole, "kernel")
    check(len(table) == KERNELS + 1 and table[-1][0] == "in all", whole)
    check(table[-1][1][3] == sum(excess.values()), whole)
    check("many.cu:" not in whole.split("To see the worst")[0], f"lines, too:\n{whole}")

    three = bankrun("report", "--by=line", "--top=3", saved).stdout
    check(len(rows_of(three, "line")) == 3 and " more lines " in three and
          not any(line.startswith("  kernel ") for line in three.split("\n")), three)

    arrays = rows_of(bankrun("report", "--by", "array", "--top", "99", saved).stdout, "array")
    check(sorted(label for label, _ in arrays) == sorted(f"words in kernel_{n}" for n in range(KERNELS)), arrays)
    check([row[1:] for _, row in arrays] == [row[1:] for label, row in table if label != "in all"], arrays)

    # A part: of some kernels, of one line, of both. Totals and gates are of that part.
    part = json.loads(bankrun("report", "--kernel", "^kernel_2[0-4]", "--format", "json", saved).stdout)
    check([one["kernel"] for one in part["launches"]] == [f"kernel_{n}(int*)" for n in range(20, 25)], part)
    own = 1 + text[:text.index("// own 9")].count("\n")
    place = f"many.cu:{own}"
    one = json.loads(bankrun("report", "--line", place, "--format", "json", saved).stdout)
    check({site["line"] for launch in one["launches"] for site in launch["sites"]} == {own}, one)
    check(excess_by_line(one) == {own: excess[own]} and one["only"] == f"lines at {place}", one)
    for launch in one["launches"]:
        sums = sum(row["wavefronts"] for row in launch["totals"]["shared"].values())
        check(sums == sum(site["wavefronts"] for site in launch["sites"] if site["space"] == "shared"), launch)
    narrow = bankrun("report", "--line", place, "--kernel", "kernel_9|kernel_8", saved)
    check(f"only kernels like 'kernel_9|kernel_8', lines at {place}" in narrow.stdout, narrow.stdout)
    for arguments, status in ((("--kernel", "^kernel_0\\(", "--fail-on", f"excess>={excess[own]}"), 0),
                              (("--line", place, "--fail-on", f"excess>={excess[own]}"), 3),
                              (("--line", place, "--fail-on", f"excess={excess[own]}"), 0)):
        result = bankrun("report", *arguments, saved)
        check(result.returncode == status, f"{arguments}: {result.returncode} {result.stderr}")
    part_path = os.path.join(folder, "part.json")
    with open(part_path, "w", encoding="utf-8") as file:
        json.dump(one, file)
    again = json.loads(bankrun("report", "--format", "json", part_path).stdout)
    check(again == one, "a part is read again as it was saved")
    result = bankrun("diff", saved, part_path)
    check(result.returncode == 2 and "one was narrowed" in result.stderr, result.stderr)
    result = bankrun("diff", "--line", place, saved, saved)
    check(result.returncode == 0 and "1 line of 1 kernel." in result.stdout, result.stdout + result.stderr)
    for wrong, says in ((("--kernel", "nothing"), "there are kernel_0, kernel_1"), (("--kernel", "("), "--kernel: '('"),
                        (("--line", "many.cu"), "not of the form FILE:LINE"), (("--line", "many.cu:1"), "no launch")):
        result = bankrun("report", *wrong, saved)
        check(result.returncode == 2 and says in result.stderr and not result.stdout, f"{wrong}: {result}")
    # Launches that differ in size only: the largest stands for the others, whose sums are told.
    nine = [launch for launch in profile["launches"] if launch["kernel"] == "kernel_9(int*)"]
    check([launch["grid"][0] for launch in nine] == [1, 3], nine)
    rows = nine[0]["totals"]["shared"].values()
    wavefronts, ideal = (sum(row[key] for row in rows) for key in ("wavefronts", "ideal"))
    folded = bankrun("report", "--kernel", "^kernel_9", saved).stdout
    says = f"1 more launch, of other sizes, does the same: {wavefronts - ideal} of {wavefronts} wavefronts are excess\n"
    check(says in folded and folded.count("  grid ") == 1 and "  grid 3," in folded, folded)
    check(rows_of(folded, "kernel")[0] == ("kernel_9", [2, 144, 136, 8]), folded)
    for more in ("--by=launch", "--verbose"):
        both = bankrun("report", "--kernel", "^kernel_9", more, saved).stdout
        check(both.count("  grid ") == 2 and "other sizes" not in both, both)
    # One of which something else is said stands for itself.
    other = json.loads(json.dumps(profile))
    for site in other["launches"][-1]["sites"]:
        if site.get("worst", {}).get("why"):
            site["worst"]["why"] = "something else"
    part_path = os.path.join(folder, "other.json")
    with open(part_path, "w", encoding="utf-8") as file:
        json.dump(other, file)
    apart = bankrun("report", "--kernel", "^kernel_9", part_path).stdout
    check(apart.count("  grid ") == 2 and "other sizes" not in apart, apart)
    # A run is not lost for a name that fits nothing.
    result = bankrun("--kernel", "nothing", source)
    check(result.returncode == 2 and "there are kernel_0" in result.stderr and "many.cu:" in result.stderr, result)

    sections = bankrun("report", "--by", "launch", "--top", "4", saved).stdout
    check(sections.count("  grid ") == 4 and "more launches with less excess" in sections, sections)
    every = bankrun("report", "--by", "launch", "--top", "1000", saved).stdout
    check(every.count("  grid ") == len(profile["launches"]), every)

    for wrong in (("--by", "nothing"), ("--top", "-1"), ("--top", "x")):
        result = bankrun("report", *wrong, saved)
        check(result.returncode == 2 and wrong[0] in result.stderr, f"{wrong}: {result.stderr}")
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([BANKRUN, "report", "--by", "line", saved], stdout=full,
                                stderr=subprocess.PIPE, check=False)
    check(result.returncode == 2, "a full disk")
