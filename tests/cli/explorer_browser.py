"""The bank explorer in a browser: the tour's steps show what they claim, mistakes show the caret, and
what is typed stays text."""

import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, "tests")
from harness import browser  # noqa: E402

from selenium.webdriver.common.keys import Keys  # noqa: E402

PAGE = "file://" + os.path.abspath("docs/explorer/index.html")
EVIL = "</script><img src=x onerror=document.title='owned'>"
problems = []


def expect(is_good, what):
    if not is_good:
        problems.append(what)


def wait_ready(driver):
    driver.get(PAGE)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if driver.execute_script("return document.body.dataset.ready"):
            return True
        time.sleep(0.02)
    return False


def text(driver, selector):
    return driver.execute_script("return document.querySelector(arguments[0]).textContent", selector)


# Does it, and waits for the answer that follows.
def act(driver, script, *words):
    driver.execute_async_script("const done = arguments[arguments.length - 1];" + script
                                + "; answer().then(() => done());", *words)


def type_into(driver, **values):
    act(driver, "for (const [name, value] of Object.entries(arguments[0])) { fields[name].value = value;"
                "fields[name].dispatchEvent(new Event('input', {bubbles: true})); }", values)


def check_tour(driver):
    with open("docs/explorer/tour.json", encoding="utf-8") as file:
        tour = json.load(file)
    for index, step in enumerate(tour):
        if index:
            act(driver, "element('next').click()")
        hidden = [driver.find_element("id", name).is_displayed() for name in ("verdict", "picture", "table", "guess")]
        expect(hidden == [False, False, False, True], f"{step['title']}: the answer stands there before the guess: {hidden}")
        shown = driver.execute_script("return document.querySelectorAll('#lesson li').length")
        expect(shown == len(step["claims"]), f"{step['title']}: {shown} claims")
        # cli/explorer has the numbers of all of them.
        for n, claim in list(enumerate(step["claims"]))[-1:]:
            act(driver, "document.querySelectorAll('#lesson li button')[arguments[0]].click()", n)
            words = f"{claim['wavefronts']} wavefront{'s' * (claim['wavefronts'] > 1)}, ideal {claim['ideal']}"
            expect(driver.find_element("id", "verdict").is_displayed() and driver.find_element("id", "picture").is_displayed(),
                   f"{step['title']}: no answer")
            verdict, told = text(driver, "#verdict"), text(driver, f"#lesson li:nth-child({n + 1})")
            expect(verdict.startswith(words + ":"), f"{step['title']}: {claim['say']}: {verdict}")
            expect(told.endswith(": " + words), told)
            expect(driver.execute_script("return document.querySelectorAll('svg.banks .cell').length") >= 32,
                   f"{claim['say']}: the picture has few cells")
    expect(driver.execute_script("return element('next').disabled"), "there is a step behind the last one")


def check_reveal(driver):
    act(driver, "element('back').click()")
    driver.find_element("id", "reveal").click()
    shown = [driver.find_element("id", name).is_displayed() for name in ("verdict", "picture", "table", "guess")]
    expect(shown == [True, True, True, False], f"now: {shown}")
    act(driver, "element('back').click()")  # the fields show it, too, which come next


def check_fields(driver):
    type_into(driver, expression="tile[threadIdx.x][0]", shared="float tile[32][32]", let="", arch="90")
    expect(text(driver, "#verdict") == "32 wavefronts, ideal 1: 32-way conflicts", text(driver, "#verdict"))
    type_into(driver, expression="tile[tid", shared="float tile[32][32]")
    error = text(driver, "#error")
    expect(error.startswith("<expression>:1:") and "tile[tid\n" in error and error.rstrip().endswith("^"), error)
    expect(text(driver, "#verdict") == "" and text(driver, "#picture") == "", "an old answer beside the error")
    for name in ("expression", "shared", "let", "if", "block"):
        type_into(driver, **{name: EVIL})
        expect("error" in text(driver, "#error"), f"{name}: {text(driver, '#error')}")
        expect(driver.execute_script("return document.querySelectorAll('img').length") == 0, f"{name} became markup")
        type_into(driver, **{name: {"expression": "tile[tid][0]", "shared": "float tile[32][32]"}.get(name, "")})
    expect(driver.title == "Bank explorer" and driver.execute_script("return element('error').hidden"),
           text(driver, "#error"))


def check_keys(driver):
    driver.execute_script("document.querySelector('svg.banks').focus()")
    driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    expect(text(driver, "#picture .told").startswith("lane 1: byte 128, bank 0, wavefront 2 of 32"),
           text(driver, "#picture .told"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}

    def log_message(self, *_):
        pass


def check_example(driver, folder):
    """examples/javascript/index.html, served as its README says."""
    for path in ("docs/explorer", "examples/javascript"):
        shutil.copytree(path, os.path.join(folder, path))
    subprocess.run([sys.executable, "tools/build_explorer.py", "--kept",
                    os.path.join(folder, "examples/javascript/bankrun.wasm")], check=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    driver.get(f"http://127.0.0.1:{server.server_port}/examples/javascript/")
    for shared, wanted in ((None, "32 wavefronts, ideal 1"), ("float tile[32][33]", "1 wavefronts, ideal 1")):
        if shared:
            driver.execute_script("field = document.getElementById('shared'); field.value = arguments[0];"
                                  "field.dispatchEvent(new Event('input'))", shared)
        until = time.monotonic() + 20
        while text(driver, "#answer") != wanted and time.monotonic() < until:
            time.sleep(0.02)
        expect(text(driver, "#answer") == wanted, f"the example says {text(driver, '#answer')}, not {wanted}")
    server.shutdown()
    log = [entry["message"] for entry in driver.get_log("browser") if "favicon" not in entry["message"]]
    expect(not log, f"the example: {log}")


def check(driver, folder):
    if wait_ready(driver):
        check_tour(driver)
        check_reveal(driver)
        check_fields(driver)
        check_keys(driver)
    else:
        problems.append("the page does not begin: " + text(driver, "#error"))
    for entry in driver.get_log("browser"):
        problems.append(entry["message"])
    check_example(driver, folder)


sys.exit(browser.run(check, problems))
