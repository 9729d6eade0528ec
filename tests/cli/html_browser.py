"""The page of --format html in a browser: it draws what the profile says, by mouse and by keyboard."""

import os
import sys
import time

sys.path.insert(0, "tests")
from harness import browser  # noqa: E402
from harness.pages import (EVIL, bankrun, data_of, hostile_profile, large_profile, launch,  # noqa: E402
                           one_line_profile, page_of, profile, run_column, site)

from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

problems = []


def expect(is_good, what):
    if not is_good:
        problems.append(what)


class Page:
    def __init__(self, driver, path, fragment=""):
        self.driver = driver
        driver.get("about:blank")
        driver.get("file://" + path + fragment)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.driver.execute_script("return document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector):
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)

    def run(self, script, *words):
        return self.driver.execute_script(script, *words)

    def press(self, *keys):
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def click(self, link):
        """The page follows a link in a task of its own."""
        link.click()
        self.driver.execute_async_script("setTimeout(arguments[0], 20)")

    def places(self):
        return self.texts("#line-list .place")

    def choose(self, name, value):
        Select(self.one("#" + name)).select_by_value(value)

    def check_log(self, what):
        for entry in self.driver.get_log("browser"):
            problems.append(f"{what}: the browser says: {entry['message']}")


def check_numbers(page, saved):
    sums = {key: sum(row[key] for each in saved["launches"] for row in each["totals"]["shared"].values())
            for key in ("wavefronts", "ideal")}
    excess = f"{sums['wavefronts'] - sums['ideal']:,}"
    expect(page.text("#summary .figure") == excess, f"summary says {page.text('#summary .figure')}, not {excess}")
    row = page.texts("#kernel-table tbody td")[1:5]
    wanted = ["1", f"{sums['wavefronts']:,}", f"{sums['ideal']:,}", excess]
    expect(row == wanted, f"kernels: {row}, not {wanted}")
    expect(page.places()[0] == "column.cu:7", f"lines: {page.places()}")


def check_chosen(page, name, picture_rows, what):
    title = page.text("#detail-title")
    expect(title.startswith(name + ":"), f"{what}: '{title}'")
    marks = page.texts("#detail svg:first-of-type .cell text")
    expect(sorted({int(mark) for mark in marks}) == list(range(1, picture_rows + 1)), f"{what}: wavefronts {marks}")


def check_choosing(page):
    """By mouse and by keyboard: a line shows its picture, and the address names it."""
    page.choose("filter", "all")
    check_chosen(page, "column.cu:7", 32, "at first")
    page.click(page.all("#line-list a.row")[1])
    check_chosen(page, "column.cu:9", 1, "clicked")
    expect(page.driver.current_url.endswith("#L=column.cu:9"), f"address {page.driver.current_url}")
    page.press(Keys.ARROW_UP, Keys.ENTER)
    check_chosen(page, "column.cu:7", 32, "Enter")
    page.click(page.one('#source-list a.row[href$="column.cu:9"]'))
    check_chosen(page, "column.cu:9", 1, "clicked in the source")
    page.driver.back()
    check_chosen(page, "column.cu:7", 32, "back")


def lit(page, n):
    return len(page.all("#detail figure")[n].find_elements(By.CSS_SELECTOR, ".cell:not(.other)"))


def check_picture(page, data):
    """The picture is the bank model's, before and after, wavefront by wavefront, lane by lane."""
    expect(len(page.all("#detail figure")) == 2, "no picture beside the first")
    expect("32 wavefronts, ideal 1" in page.text("#detail figcaption"), page.text("#detail figcaption"))
    expect((lit(page, 0), lit(page, 1)) == (32, 32), "all wavefronts: not all lanes")
    sums = page.texts("#detail figure:first-child .sum")
    expect(sums == ["32"] + ["."] * 31, f"wavefronts by bank: {sums}")
    slider = page.one("#detail input[type=range]")
    slider.send_keys(Keys.ARROW_RIGHT)
    expect((lit(page, 0), lit(page, 1)) == (1, 32), f"wavefront 1: {lit(page, 0)}, {lit(page, 1)} lanes")
    slider.send_keys(Keys.ARROW_RIGHT)
    expect((lit(page, 0), lit(page, 1)) == (1, 0), f"wavefront 2: {lit(page, 0)}, {lit(page, 1)} lanes")
    access = next(one for line in data["lines"] for one in line["accesses"] if one.get("degree") == 32)
    page.run("arguments[0].focus()", page.one("#detail svg"))
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    told = page.text("#detail .told")
    wanted = f"As it is, lane 3: byte {access['array_offset'] + 384}, tile[96], bank 0, wavefront "
    expect(told.startswith(wanted) and "collides" in told, f"lane 3: '{told}', not '{wanted}'")
    expect("In this layout, lane 3: byte" in told and len(page.all("#detail .cell.here")) == 2,
           f"the other picture does not show the lane: '{told}'")
    expect(page.one("#detail svg").get_attribute("aria-activedescendant").endswith("-3"), "no active lane")
    layouts = [option.text for option in Select(page.one("#detail .picker select:not(#access)")).options]
    expect("pad rows of 32 elements to 33" in layouts and len(layouts) == len(access["cured"]) + 3,
           f"layouts {layouts}")


def check_controls(page):
    page.choose("filter", "all")
    expect(page.places() == ["column.cu:7", "column.cu:9"], f"all: {page.places()}")
    page.choose("sort", "place")
    page.choose("filter", "shared")
    expect(page.places() == ["column.cu:7"], f"bank conflicts: {page.places()}")
    page.choose("filter", "all")
    search = page.one("#search")
    search.send_keys("line 9 of")
    expect(page.places() == ["column.cu:9"] and page.text("#shown") == "1 of 2 lines", f"search: {page.places()}")
    search.send_keys("x")
    expect(page.places() == [] and page.text("#shown") == "0 of 2 lines", f"no such line: {page.places()}")
    page.run("arguments[0].value = ''; arguments[0].dispatchEvent(new Event('input'))", search)


CONTROLS = "a[href]:not([tabindex='-1']), button, input, select, summary, [tabindex='0']"


def check_keyboard(page):
    """Tab comes to every control that is in sight, and each has a name."""
    visible = """(one) => one.checkVisibility() && !one.closest("details:not([open]) > :not(summary)")"""
    wanted = page.run(f"window.controls = [...document.querySelectorAll(arguments[0])].filter({visible});"
                      "document.activeElement.blur(); scrollTo(0, 0); return window.controls.length", CONTROLS)
    for part in ("#line-list", "#source-list", "#detail", "#controls"):
        expect(page.run("return window.controls.some((one) => one.closest(arguments[0]))", part), f"{part}: no control")
    seen = set()
    page.run("document.body.tabIndex = -1; document.body.focus()")
    for _ in range(wanted + 5):
        for kind in ("rawKeyDown", "keyUp"):  # quicker than send_keys
            page.driver.execute_cdp_cmd("Input.dispatchKeyEvent",
                                        {"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9})
        seen.add(page.run("return window.controls.indexOf(document.activeElement)"))
    missed = [page.run("return window.controls[arguments[0]].outerHTML.slice(0, 80)", i)
              for i in range(wanted) if i not in seen]
    expect(wanted > 10 and not missed, f"of {wanted} controls Tab does not reach {missed}")
    for i in range(wanted):
        control = page.run("return window.controls[arguments[0]]", i)
        expect(control.accessible_name, f"no name: {control.get_attribute('outerHTML')[:80]}")
    expect(page.run("return new Set([...document.querySelectorAll('[id]')].map((one) => one.id)).size"
                    " === document.querySelectorAll('[id]').length"), "an id is there twice")
    expect(page.one("#line-list").aria_role == "list" and page.one("#detail svg").aria_role == "listbox", "roles")


def check_narrow(page):
    page.driver.set_window_size(500, 900)  # no narrower with a window
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": False})
    width = page.run("return document.documentElement.scrollWidth")
    expect(width <= 400, f"a page of 400 pixels is {width} wide")
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    page.driver.set_window_size(1400, 1000)


def check_column(driver, folder):
    saved, path = run_column(folder)
    page = Page(driver, path)
    data, _ = data_of(path)
    check_numbers(page, saved)
    check_choosing(page)
    check_picture(page, data)
    check_controls(page)
    check_keyboard(page)
    check_narrow(page)
    page.check_log("column")
    page = Page(driver, path, "#L=column.cu:9")
    check_chosen(page, "column.cu:9", 1, "a link to a line")
    page = Page(driver, path, "#L=nowhere.cu:1%")
    check_chosen(page, "column.cu:7", 32, "a link to no line")
    page.check_log("links")


def check_notes(driver, folder):
    """Findings and faults lead to their lines."""
    ptx, path = os.path.join(folder, "k.ptx"), os.path.join(folder, "notes.html")
    bankrun("check", "--format", "html", "-o", path, "--launch", "column<<<2, 32>>>(out:u32[64])", ptx)
    page = Page(driver, path)
    expect(page.text("#summary") .count("1 finding") == 1, page.text("#summary"))
    expect(page.places() == ["column.cu:9 1 finding", "column.cu:7 1 finding"], f"lines: {page.places()}")
    page.click(page.all("#findings a.place")[1])
    expect(page.text("#detail-title") == "column.cu:7: 1 finding, not counted", page.text("#detail-title"))
    expect("never initialised" in page.text("#detail-body"), page.text("#detail-body"))
    bankrun("--format", "html", "-o", path, "--launch", "column<<<1, 64>>>(out:u32[64])", ptx)
    page = Page(driver, path)
    page.click(page.one("#problems a.place"))
    expect(page.text("#detail-title").startswith("column.cu:7"), page.text("#detail-title"))
    page.check_log("notes")


def check_empty(driver, folder):
    page = Page(driver, page_of(profile([]), folder))
    expect(page.text("#summary .figure") == "No access" and page.text("#shown") == "0 of 0 lines"
           and page.text("#detail-title") == "No line is chosen", f"a profile without launches: {page.text('main')}")
    page.check_log("no launches")


def check_undrawn(driver, folder):
    page = Page(driver, page_of(profile([launch(0, "k()", [site(7, [0] * 32, 1, request=None)])]), folder))
    expect("is not drawn" in page.text("#detail-body") and not page.all("#detail svg"), page.text("#detail-body"))
    page.check_log("an access that no rule is known of")


def check_hostile(driver, folder):
    page = Page(driver, page_of(hostile_profile(), folder))
    expect(page.run("return document.images.length") == 0, "a text became an image")
    expect(driver.title.startswith("bankrun: </script><img"), f"title '{driver.title}'")
    expect(EVIL in page.text("#program"), "the program is not shown as it is called")
    page.run("const one = document.createElement('script'); one.textContent = 'document.title = 1';"
             "document.body.append(one)")
    expect(driver.title != "1", "the policy lets another script run")
    log = [entry["message"] for entry in driver.get_log("browser")]
    expect(len(log) == 1 and "Content Security Policy" in log[0], f"the browser says {log}")


# What a script does until the browser has drawn it, in milliseconds.
MEASURE = """const done = arguments[arguments.length - 1], start = performance.now();
(new Function(arguments[0]))();
requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));"""


def check_large(driver, folder):
    """Right answers among 10,000 lines; how long they take is told, and decides nothing."""
    start = time.monotonic()
    page = Page(driver, page_of(large_profile(10000), folder))
    expect(page.text("#shown").endswith("of 10,000 lines"), page.text("#shown"))
    took = [f"made and opened in {time.monotonic() - start:.1f} s"]

    def timed(what, script):
        took.append(f"{what} {driver.execute_async_script(MEASURE, script):.0f} ms")

    def change(name, value, event="change"):
        return (f"const one = document.getElementById('{name}'); one.value = '{value}';"
                f"one.dispatchEvent(new Event('{event}'));")
    timed("all lines", change("filter", "all"))
    expect(page.text("#shown") == "10,000 of 10,000 lines", page.text("#shown"))
    expect(len(page.all("#line-list .item")) < 60, "rows out of sight are there, too")
    page.run("dispatchEvent(new Event('beforeprint'))")
    expect(len(page.all("#line-list .item")) == 300 and "9,700 more" in page.text("#line-list"), "on paper")
    page.run("dispatchEvent(new Event('afterprint'))")
    expect(len(page.all("#line-list .item")) < 60 and "more" not in page.text("#line-list"), "behind the paper")
    timed("sort by place", change("sort", "place"))
    expect(page.places()[0] == "kernel.cu:1", page.places()[0])
    timed("scroll", "document.getElementById('line-list').scrollTop = 1e9;")
    expect(page.places()[-1] == "kernel.cu:10000", page.places()[-1])
    timed("search", change("search", "kernel_42(", "input"))
    expect(page.text("#shown") == "100 of 10,000 lines" and page.places()[0] == "kernel.cu:4201", page.text("#shown"))
    timed("search back", change("search", "", "input"))
    timed("one kernel", change("kernel", "") + "const k = document.getElementById('kernel'); k.selectedIndex = 5;"
          "k.dispatchEvent(new Event('change'));")
    expect(page.text("#shown") == "100 of 10,000 lines", page.text("#shown"))
    timed("choose", "document.querySelectorAll('#line-list a.row')[2].click();")
    timed("slider", "const s = document.querySelector('#detail input'); s.value = 1; s.dispatchEvent(new Event('input'));")
    page.check_log("10,000 lines")
    page = Page(driver, page_of(one_line_profile(10000), folder))
    expect(page.text("#line-list .worth") == "100,000 excess2-way conflicts", page.text("#line-list .worth"))
    expect("9,900 more accesses" in page.text("#detail") and "9,900 more kernels" in page.text("#kernels"),
           "nothing says that some are left out")
    timed("choose one of 10,000 accesses", "const a = document.getElementById('access'); a.value = '99';"
          "a.dispatchEvent(new Event('change'));")
    timed("choose a line with 10,000 accesses", "document.querySelector('#line-list a.row').click();")
    page.check_log("10,000 launches")
    print("10,000 lines: " + ", ".join(took))


def check(driver, folder):
    check_column(driver, folder)
    check_notes(driver, folder)
    check_empty(driver, folder)
    check_undrawn(driver, folder)
    check_hostile(driver, folder)
    check_large(driver, folder)


sys.exit(browser.run(check, problems))
