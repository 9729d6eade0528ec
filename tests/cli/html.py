"""--format html: one file that loads nothing, whose numbers are those of --format json, and to which
whatever a profile says is data."""

import copy
import os
import re
import sys
import tempfile

sys.path.insert(0, "tests")
from harness.pages import bankrun, data_of, hostile_profile, large_profile, page_of, run_column, EVIL, launch, profile, site  # noqa: E402

problems = []


def expect(is_good, what):
    if not is_good:
        problems.append(what)


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
    expect(re.search(r"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-[^ ]+' "
                     r"'wasm-unsafe-eval'; style-src 'sha256-[^ ]+'; base-uri 'none'; form-action 'none'\"", rest), "no policy")
    expect(not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", rest),
           "it makes markup of texts")


def check_module(folder):
    """Pages without requests that sliders could move have no module, and their policy allows none."""
    one = site(7, [0] * 32, 1, array=None)
    del one["array_offset"]
    unplaced = profile([launch(0, "k()", [one])])
    for what, page in (("no launch", profile([])), ("no array", unplaced)):
        _, rest = data_of(page_of(page, folder))
        expect('id="module"' not in rest and "wasm-unsafe-eval" not in rest, f"{what}: a module")
    _, rest = data_of(page_of(profile([launch(0, "k()", [site(7, [0] * 32, 1)])]), folder))
    expect('id="module"' in rest, "no module")


def check_hostile(folder):
    text = EVIL
    page = page_of(hostile_profile(), folder)
    data, rest = data_of(page)
    with open(page, encoding="utf-8") as file:
        whole = file.read()
    expect("<img" not in whole and "<!--" not in whole and "\u2028" not in whole and "\u2029" not in whole,
           "a text of the profile is in the page as it is")
    expect(data["texts"].count(text) == 1 and data["program"] == [text] and data["files"][0]["name"] == text,
           f"texts {data['texts']}")
    expect(len(re.findall("</script", rest)) == 3, "it has another end of a script")


def check_refused(folder, page):
    saved = os.path.join(folder, "run.json")
    for words in (("explain", "s[0]", "--shared", "int s[1]"), ("layout", "s[0]", "--shared", "int s[1]"),
                  ("prove", "k.ptx"), ("fix", "k.cu")):
        done = bankrun(words[0], "--format", "html", *words[1:])
        expect(done.returncode == 2 and "'html' is none of text, json, " in done.stderr, f"{words}: {done}")
    done = bankrun("report", os.path.join(folder, "nowhere.json"), "--format", "html", "-o", page + ".new")
    expect(done.returncode == 2 and not os.path.exists(page + ".new"), f"no profile: {done}")
    if os.path.exists("/dev/full"):
        done = bankrun("report", saved, "--format", "html", "-o", "/dev/full")
        expect(done.returncode == 2 and "cannot write the report to /dev/full" in done.stderr, f"/dev/full: {done}")


# Text on what is behind it, as WCAG AA wants it (4.5), and shapes that mean something (3).
TEXTS = [(text, back) for text in ("text", "dim", "link", "bad", "warn", "good") for back in ("back", "panel")]
TEXTS += [("text", "chosen"), ("link", "chosen"), ("bad", "chosen"), ("warn", "chosen"), ("good", "chosen"),
          ("on-collides", "collides"), ("on-alone", "alone"), ("on-shares", "shares")]
SHAPES = [("ideal", "back"), ("excess", "back"), ("ideal", "grid"), ("excess", "grid"), ("focus", "back"),
          ("focus", "chosen"), ("control-edge", "back"), ("collides", "back"), ("alone", "back"), ("shares", "back")]


def luminance(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def check_contrast(page):
    """Of the colours that the style names, in both schemes; on paper they are the light ones."""
    _, rest = data_of(page)
    roots = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))
             for block in re.findall(r":root \{(.*?)\}", rest, re.DOTALL)]
    expect(len(roots) == 3 and len(roots[0]) >= 20, f"{len(roots)} palettes")
    light, dark, paper = roots[0], {**roots[0], **roots[1]}, roots[2]
    expect(all(light[name] == color for name, color in paper.items()), "paper has other colours than light")
    expect(set(light) == set(roots[1]), f"colours of one scheme only: {set(light) ^ set(roots[1])}")
    for scheme, colors in (("light", light), ("dark", dark)):
        for pairs, least in ((TEXTS, 4.5), (SHAPES, 3)):
            for one, other in pairs:
                found = contrast(colors[one], colors[other])
                expect(found >= least, f"{scheme}: {one} on {other}: contrast {found:.2f}, not {least}")


def check_notes(folder):
    """Findings, and what went wrong, beside their lines."""
    ptx, page = os.path.join(folder, "k.ptx"), os.path.join(folder, "notes.html")
    bankrun("check", "--format", "html", "-o", page, "--launch", "column<<<2, 32>>>(out:u32[64])", ptx)
    data, _ = data_of(page)
    found = [(data["texts"][one["kind"]], [place["line"] for place in one["places"]], one["count"])
             for one in data["findings"]]
    expect(found == [("undefined-store", [9, 7], 64)], f"findings {found}")
    expect(not data["counted"] and "init" in data["checks"] and data["lines"] == [], "a check counts nothing")
    bankrun("--format", "html", "-o", page, "--launch", "column<<<1, 2048>>>(out:u32[64])", ptx)
    data, _ = data_of(page)
    expect(["column was refused" in one["text"] for one in data["problems"]] == [True], f"{data['problems']}")
    bankrun("--format", "html", "-o", page, "--launch", "column<<<1, 64>>>(out:u32[64])", ptx)
    data, _ = data_of(page)
    expect([("read of 4 bytes at shared address" in one["text"], one["line"]) for one in data["problems"]]
           == [(True, 7)], f"lanes 32 to 63 leave the tile: {data['problems']}")


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


def check_many_launches(folder):
    """Of very many accesses those with most excess are there; sums are of all of them."""
    launches, lines = 300, 200
    column = [4 * lane for lane in range(32)]
    made = []
    for n in range(launches):
        sites = [dict(site(line + 1, column, 1 + (n == line)), requests=n + 1, ideal=n + 1,
                      wavefronts=(n + 1) * (1 + (n == line)), excess=(n + 1) * (n == line),
                      degrees={str(1 + (n == line)): n + 1}, verdict="proved" if n else "observed")
                 for line in range(lines)]
        made.append(launch(n, f"kernel_{n % 3}()", sites))
    made[250]["fault"] = "it broke"
    page = page_of(profile(made), folder, "many.html")
    data, _ = data_of(page)
    size = os.path.getsize(page)
    print(f"{launches} launches of {lines} lines: {size:,} bytes")
    expect(size < 5_000_000, f"{size:,} bytes")
    expect(data["different_launches"] == launches and len(data["launches"]) < launches, "no launch is left out")
    total = launches * (launches + 1) // 2
    for line in data["lines"]:
        worst = line["line"] - 1  # the launch in which it conflicts, which no other launch outdoes
        expect(line["shared"] == [total, total + worst + 1, total], f"line {line['line']}: {line['shared']}")
        expect(len(line["accesses"]) + line["more"] == launches, f"line {line['line']}: {line['more']} more")
        first = data["launches"][line["accesses"][0]["launch"]]["first"] - 1
        expect(first == worst and line["degree"] == 2 and line["observed"], f"line {line['line']}: launch {first}")
        sums = {data["texts"][kernel]: (space, count, counts) for kernel, space, count, counts in line["sums"]}
        for kernel in range(3):
            requests = sum(n + 1 for n in range(kernel, launches, 3))
            excess = worst + 1 if worst % 3 == kernel else 0
            wanted = (0, launches // 3, [requests, requests + excess, requests])
            expect(sums[f"kernel_{kernel}()"] == wanted, f"line {line['line']}: {sums}, not {wanted}")
    expect(any("it broke" in one["text"] for one in data["problems"]), "the fault is not told")


def main():
    with tempfile.TemporaryDirectory() as folder:
        saved, page = run_column(folder)
        check_numbers(saved, page)
        check_pictures(page)
        check_self_contained(page)
        check_contrast(page)
        check_refused(folder, page)
        check_cures_of_anything(folder, saved)
        check_notes(folder)
        check_hostile(folder)
        check_module(folder)
        check_large(folder)
        check_many_launches(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
