"""The sliders of the page of --format html: what they show is what bankrun explain counts of the same index,
and the module draws what the report drew."""

import json
import os
import sys
import time

sys.path.insert(0, "tests")
from harness import browser  # noqa: E402
from harness.pages import bankrun, hostile_profile, launch, page_of, profile, site  # noqa: E402

from selenium.webdriver.common.keys import Keys  # noqa: E402

ARCHITECTURES = (13, 35, 60, 75, 90)
TYPES = {2: "short", 4: "float", 8: "double", 16: "float4"}
# What sliders are set to: layout, and the numbers that differ from where they begin.
TRIED = [("pad", {"pitch": pitch}) for pitch in (33, 34, 36, 40, 63)]
TRIED += [("pad", {"row": 16, "pitch": 17}), ("pad", {"row": 64, "pitch": 65})]
TRIED += [("swizzle", dict(zip(("bits", "base", "shift"), numbers)))
          for numbers in ((1, 0, 5), (2, 0, 5), (5, 0, 5), (3, 2, 5), (5, 0, 6), (2, 0, 7), (0, 0, 5))]
TRIED += [("mirror", {"bits": 5, "base": 0, "shift": 5}), ("mirror", {"bits": 3, "base": 1, "shift": 6})]
problems = []

SET = """const [kind, numbers] = arguments, pick = document.querySelector(".picker select:not(#access)");
pick.value = [...pick.options].findIndex((one) => one.text === OWN[kind]);
pick.dispatchEvent(new Event("change"));
const inputs = document.querySelectorAll(".sliders input");
["row", "pitch", "bits", "base", "shift"].forEach((name, i) => {
  if (numbers[name] === undefined) return;
  inputs[i].value = numbers[name];
  inputs[i].dispatchEvent(new Event("input", {bubbles: true}));
});
const refused = document.querySelector(".refused");
return [document.querySelector(".sliders .code").textContent, refused ? refused.textContent
  : document.querySelectorAll("#detail figcaption")[1].textContent];"""
# All accesses as the module draws them, beside what the report drew: as they are, and in each cure.
COMPARE = """const done = arguments[arguments.length - 1];
const flat = (picture, first) => JSON.stringify([picture.banks, picture.rows, picture.wavefronts, picture.ideal,
  cellsOf(picture, first)]);
module.then((instance) => {
  const wrong = [];
  let compared = 0;
  for (const access of page.lines.flatMap((line) => line.accesses).filter((one) => one.request)) {
    const none = {kind: "as it is", row: 0, pad: 0, bits: 0, base: 0, shift: 0};
    const drawn = [[none, access]].concat((access.cured || []).map((one) => [layoutOf(one.layout), one]));
    for (const [layout, from] of drawn.filter(([, one]) => one.picture !== null)) {
      const {picture, refused} = redraw(instance, access, layout);
      compared++;
      if (refused || flat(picture, 0) !== flat(page.pictures[from.picture], from.offset))
        wrong.push([refused, access.request, layout]);
    }
  }
  done([compared, wrong]);
});"""


def expect(is_good, what):
    if not is_good:
        problems.append(what)


def is_ready(driver):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if driver.execute_script("return document.querySelectorAll('.sliders').length"):
            return True
        time.sleep(0.02)
    return False


def open_page(driver, path, what):
    driver.get("about:blank")
    driver.get("file://" + path)
    expect(is_ready(driver), f"{what}: no sliders")


def column(arch, width):
    """A page of a request in which each lane reads the first element of its row of 32."""
    one = site(7, [32 * width * lane for lane in range(32)], 32, width=width,
               request={"access": "load", "width": width, "matrices": 0, "scanned": False, "source": False})
    return {**profile([launch(0, "k()", [one])]), "arch": f"sm_{arch}"}


def explained(arch, width, index):
    done = bankrun("explain", f"a[{index}]", "--let", "i=32 * tid", "--shared", f"{TYPES[width]} a[65536]", "--arch",
                   str(arch), "--format", "json")
    request = json.loads(done.stdout)["requests"][0]
    wavefronts = request["wavefronts"]
    return f"{wavefronts} wavefront{'s' * (wavefronts != 1)}, ideal {request['ideal']}"


def check_sliders(driver, folder):
    compared = 0
    for arch in ARCHITECTURES:
        for width in (2, 4, 8) if arch in (13, 35) else TYPES:
            open_page(driver, page_of(column(arch, width), folder), f"sm_{arch}")
            for kind, numbers in TRIED:
                index, caption = driver.execute_script(SET, kind, numbers)
                wanted = explained(arch, width, index)
                shown = caption.removeprefix("In this layout: ").split(" (")[0]
                expect(shown == wanted, f"sm_{arch}, {width} bytes, {kind} {numbers}: '{caption}', and explain '{wanted}'")
                compared += 1
    print(f"{compared} layouts as bankrun explain counts them")


def check_refused(driver, folder):
    open_page(driver, page_of(column(90, 4), folder), "refused")
    for kind, numbers, words in (("swizzle", {"bits": 3, "base": 2, "shift": 2}, "two elements would lie at one place"),
                                 ("mirror", {"bits": 5, "base": 0, "shift": 2}, "two elements would lie at one place")):
        _, said = driver.execute_script(SET, kind, numbers)
        expect(words in said, f"{kind} {numbers}: '{said}'")
    # 16 bytes a lane in rows of floats: a pitch of 33 tears them apart.
    driver.execute_script("page.lines[0].accesses[0].request[1] = 16")
    _, said = driver.execute_script(SET, "pad", {"pitch": 33})
    expect("torn apart" in said, f"a torn lane: '{said}'")
    _, said = driver.execute_script(SET, "pad", {"pitch": 36})
    expect("ideal 4" in said, f"a row of whole lanes: '{said}'")


def check_keys(driver, folder):
    open_page(driver, page_of(column(90, 4), folder), "keys")
    pitch = driver.find_elements("css selector", ".sliders input")[1]
    pitch.send_keys(Keys.ARROW_RIGHT)
    captions = driver.execute_script("return [...document.querySelectorAll('#detail figcaption')].map((one) => one.textContent)")
    expect(captions == ["As it is: 32 wavefronts, ideal 1", "In this layout: 1 wavefront, ideal 1"], f"a key: {captions}")
    expect(driver.execute_script("return document.activeElement === document.querySelectorAll('.sliders input')[1]"),
           "the slider loses the focus")
    names = [one.accessible_name for one in driver.find_elements("css selector", ".sliders input") if one.is_displayed()]
    expect(names[0] == "Elements in a row" and names[1].startswith("Row pitch") and len(names) == 2, f"names {names}")


def check_module(driver, folder):
    """Every kind of access, width and mask."""
    kinds = [("load", width, 0) for width in (1, 2, 4, 8, 16)] + [("store", 4, 0), ("atomic", 4, 0), ("atomic_cas", 8, 0)]
    kinds += [("matrix_load", 16, 1), ("matrix_load", 16, 4), ("async_copy", 8, 0), ("generic_load", 4, 0)]
    ops = {"load": "load", "store": "store", "atomic": "atomic", "atomic_cas": "atomic", "matrix_load": "matrix_load",
           "async_copy": "async_copy", "generic_load": "load"}
    sites = []
    for n, (access, width, matrices) in enumerate(kinds):
        for step in (1, 3, 8, 33):
            mask = 2**32 - 1 if matrices else 2**32 - 1 - 2**(step % 32)
            offsets = [width * step * lane if mask >> lane & 1 else None for lane in range(32)]
            more = {"worst": {"block": [0, 0, 0], "warp": 0, "mask": mask, "offsets": offsets, "why": None}}
            sites.append(site(4 * n + step, [], 1, width=width, op=ops[access], request={
                "access": access, "width": width, "matrices": matrices, "scanned": False, "source": False}, **more))
    saved = profile([launch(0, "k()", [one for one in sites if one["op"] == "load"])])
    others = [one for one in sites if one["op"] != "load"]
    saved["launches"][0]["sites"] += others
    for one in others:
        for key in ("requests", "wavefronts", "ideal"):
            saved["launches"][0]["totals"]["shared"][one["op"]][key] += one[key]
    open_page(driver, page_of(saved, folder), "all accesses")
    compared, wrong = driver.execute_async_script(COMPARE)
    expect(compared >= len(sites) and not wrong, f"of {compared} pictures the module draws otherwise: {wrong}")
    path = os.path.join(folder, "cures.html")
    done = bankrun("--format", "html", "-o", path, "gallery/transpose.cu")
    if done.returncode == 0:
        open_page(driver, path, "gallery/transpose.cu")
        compared, wrong = driver.execute_async_script(COMPARE)
        expect(compared > 2 and not wrong, f"transpose: of {compared} pictures the module draws otherwise: {wrong}")


def check_hostile(driver, folder):
    open_page(driver, page_of(hostile_profile(), folder), "hostile")
    driver.execute_script(SET, "pad", {"pitch": 40})
    expect(driver.execute_script("return document.images.length") == 0, "a text became an image")
    driver.execute_script("setTimeout(\"document.title = 'owned'\")")
    time.sleep(0.1)
    expect(driver.title != "owned", "the policy lets text become a script")
    log = [entry["message"] for entry in driver.get_log("browser")]
    expect(len(log) == 1 and "unsafe-eval" in log[0], f"the browser says {log}")


def check(driver, folder):
    check_sliders(driver, folder)
    check_refused(driver, folder)
    check_keys(driver, folder)
    check_module(driver, folder)
    for entry in driver.get_log("browser"):
        problems.append("the browser says: " + entry["message"])
    check_hostile(driver, folder)


sys.exit(browser.run(check, problems))
