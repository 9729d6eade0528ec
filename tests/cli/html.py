"""--format html: one file that loads nothing, whose numbers are those of --format json, and to which
whatever a profile says is data."""

import copy
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, "tests")
from harness.pages import (EVIL, bankrun, data_of, large_profile, launch, page_of, profile,  # noqa: E402
                           site)

problems = []
KERNEL = """.version 7.0
.target sm_80
.address_size 64
.visible .entry column(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 other[256];
    .shared .align 4 .b8 tile[4096];
    .loc 1 7 0
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 7;
    mov.u32 %r3, tile;
    add.u32 %r3, %r3, %r2;
    ld.shared.u32 %r4, [%r3];
    mov.u32 %r5, other;
    st.shared.u32 [%r5], %r4;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], %r4;
    ret;
}
.file 1 "FILE"
"""


def expect(is_good, what):
    if not is_good:
        problems.append(what)


def run(folder, file_name):
    """The JSON of a run of the kernel, and its page."""
    ptx, saved, page = (os.path.join(folder, name) for name in ("k.ptx", "run.json", "run.html"))
    with open(ptx, "w", encoding="utf-8") as file:
        file.write(KERNEL.replace("FILE", file_name))
    words = ("--launch", "column<<<2, 32>>>(out:u32[64])", ptx)
    for form, path in (("json", saved), ("html", page)):
        done = bankrun("--format", form, "-o", path, *words)
        expect(done.returncode == 0, f"--format {form}: {done.stderr}")
    with open(saved, encoding="utf-8") as file:
        return json.load(file), page


def sums(saved, space, units, ideal):
    rows = [(each["repeats"], row) for each in saved["launches"] for row in each["totals"][space].values()]
    return [sum(times * row[key] for times, row in rows) for key in ("requests", units, ideal)]


def check_numbers(saved, page):
    data, _ = data_of(page)
    expect(data["totals"]["shared"] == sums(saved, "shared", "wavefronts", "ideal"), "totals of shared memory")
    expect(data["totals"]["global"] == sums(saved, "global", "sectors", "ideal_sectors"), "totals of global memory")
    for space in ("shared", "global"):
        lines = [sum(line.get(space, [0] * 3)[i] for line in data["lines"]) for i in range(3)]
        expect(lines == data["totals"][space], f"lines add up to {lines}, not {data['totals'][space]}")
    accesses = [access for line in data["lines"] for access in line["accesses"]]
    found = sorted((data["texts"][one["access"]].split()[0], *one["counts"][:2]) for one in accesses)
    wanted = sorted((one["instruction"], one["requests"], one.get("wavefronts", one.get("sectors")))
                    for each in saved["launches"] for one in each["sites"])
    expect(found == wanted, f"accesses {found}, not {wanted}")


def numbers(runs):
    return [run[0] + i * (run[1] if len(run) > 1 else 0)
            for run in runs for i in range(run[2] if len(run) > 1 else 1)]


def check_pictures(page):
    """A column of a tile: 32 wavefronts, lane by lane, all in the bank where the tile begins."""
    data, _ = data_of(page)
    column = next(one for line in data["lines"] for one in line["accesses"] if one.get("degree") == 32)
    picture = data["pictures"][column["picture"]]
    expect(sorted(numbers(picture["row"])) == list(range(32)), f"rows {picture['row']}")
    expect(numbers(picture["bank"][0]) == [0] * 32 and numbers(picture["mark"][0]) == [1] * 32, f"{picture}")
    offsets = [column["offset"] + offset for offset in numbers(picture["offset"])]
    expect(offsets == [column["array_offset"] + 128 * lane for lane in range(32)], f"offsets {offsets}")
    cured = {data["texts"][each["words"]]: each for each in column["cured"]}
    expect("pad rows of 32 elements to 33" in cured, f"cures {list(cured)}")
    for name, each in cured.items():
        after = data["pictures"][each["picture"]]
        expect(after["wavefronts"] == 1 and sorted(numbers(after["bank"][0])) == list(range(32))
               and numbers(after["mark"][0]) == [0] * 32, f"{name}: {after}")
    broadcast = next(one for line in data["lines"] for one in line["accesses"]
                     if one.get("degree") == 1)
    shared = data["pictures"][broadcast["picture"]]
    expect(shared["rows"] == 1 and numbers(shared["mark"][0]) == [2] * 32, f"all lanes on one word: {shared}")


def check_self_contained(page):
    _, rest = data_of(page)
    rest = rest.replace("http://www.w3.org/2000/svg", "")  # the name of a namespace
    expect(not re.search(r"https?:|//[a-z0-9.-]+\.[a-z]|\burl\(|@import|<link|<img|<iframe", rest), "it refers to something")
    expect(re.search(r"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-[^ ]+'; "
                     r"style-src 'sha256-[^ ]+'; base-uri 'none'; form-action 'none'\"", rest), "no policy")
    expect(not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", rest),
           "it makes markup of texts")


def check_hostile(folder):
    text = EVIL + "<!--\u2028\u2029&amp;"
    evil = profile([launch(0, text, [site(3, [0] * 32, 1, file=text, function=text, array=text,
                                          instruction=text, proof=text)])], (text,))
    page = page_of(evil, folder)
    data, rest = data_of(page)
    with open(page, encoding="utf-8") as file:
        whole = file.read()
    expect("<img" not in whole and "<!--" not in whole and "\u2028" not in whole and "\u2029" not in whole,
           "a text of the profile is in the page as it is")
    expect(data["texts"].count(text) == 1 and data["program"] == [text] and data["files"][0]["name"] == text,
           f"texts {data['texts']}")
    expect(len(re.findall("</script", rest)) == 2, "it has another end of a script")


def check_refused(folder, page):
    saved = os.path.join(folder, "run.json")
    for words in (("explain", "s[0]", "--shared", "int s[1]"), ("layout", "s[0]", "--shared", "int s[1]"),
                  ("prove", "k.ptx"), ("fix", "k.cu")):
        done = bankrun(words[0], "--format", "html", *words[1:])
        expect(done.returncode == 2 and "'html' is none of text, json, csv" in done.stderr, f"{words}: {done}")
    done = bankrun("report", os.path.join(folder, "nowhere.json"), "--format", "html", "-o", page + ".new")
    expect(done.returncode == 2 and not os.path.exists(page + ".new"), f"no profile: {done}")
    if os.path.exists("/dev/full"):
        done = bankrun("report", saved, "--format", "html", "-o", "/dev/full")
        expect(done.returncode == 2 and "cannot write the report to /dev/full" in done.stderr, f"/dev/full: {done}")


def check_cures_of_anything(folder, saved):
    """What a profile says of its cures may be nonsense: then there is no picture, and no harm."""
    for change in ({"element_bytes": 0}, {"element_bytes": 3}, {"bytes": 16}, {"offset": 2**40},
                   {"layouts": [{"kind": "pad", "by": "index", "row": 0, "pad": 1, "operations": 2, "wavefronts": 1, "bytes": 1}]},
                   {"layouts": [{"kind": "swizzle", "bits": 31, "base": 31, "shift": 31, "operations": 3, "wavefronts": 1, "bytes": 1}]}):
        changed = copy.deepcopy(saved)
        changed["launches"][0]["cures"][0].update(change)
        data, _ = data_of(page_of(changed, folder, "odd.html"))
        cured = [each["picture"] for line in data["lines"] for one in line["accesses"] for each in one.get("cured", [])]
        expect("layouts" not in change or cured, f"{change}: no layouts")
        expect(all(picture is None for picture in cured), f"{change}: pictures {cured}")
    old = copy.deepcopy(saved)
    for each in old["launches"][0]["sites"]:
        each.pop("array_offset", None)
    data, _ = data_of(page_of(old, folder, "old.html"))
    expect(any("cured" in one for line in data["lines"] for one in line["accesses"])
           and all(each["picture"] is None for line in data["lines"] for one in line["accesses"]
                   for each in one.get("cured", [])), "a profile without array_offset")


def check_large(folder):
    page = page_of(large_profile(10000), folder, "large.html")
    data, _ = data_of(page)
    size = os.path.getsize(page)
    first = [one for line in data["lines"] for one in line["accesses"] if line["line"] == 3][0]  # backwards, 4-way
    offsets = [first["offset"] + offset for offset in numbers(data["pictures"][first["picture"]]["offset"])]
    expect(offsets == [2**17 + 4 * (2 - 4 * lane) for lane in range(32)], f"offsets {offsets}")
    print(f"10,000 sites: {size:,} bytes, {len(data['pictures']):,} pictures")
    expect(len(data["lines"]) == 10000, f"{len(data['lines'])} lines")
    expect(size < 5_000_000, f"10,000 sites take {size:,} bytes")


def main():
    with tempfile.TemporaryDirectory() as folder:
        saved, page = run(folder, "column.cu")
        check_numbers(saved, page)
        check_pictures(page)
        check_self_contained(page)
        check_refused(folder, page)
        check_cures_of_anything(folder, saved)
        check_hostile(folder)
        check_large(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
