"""A headless Chromium for tests of pages; status 77, which skips a test, where there is none.

Import this before selenium: where selenium is the system's Python's alone, the test starts anew with that.
"""

import os
import sys
import tempfile

SYSTEM_PYTHON = "/usr/bin/python3"
try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    # Debian's package is the system's Python's, which need not be the first one.
    if os.path.exists(SYSTEM_PYTHON) and os.environ.get("BANKRUN_SYSTEM_PYTHON") is None:
        os.environ["BANKRUN_SYSTEM_PYTHON"] = "1"
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
    print("python3-selenium is not installed")
    sys.exit(77)

BROWSER, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"


def start(folder, *words):
    options = Options()
    options.binary_location = BROWSER
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                 "--disable-background-networking", "--disable-component-update", "--no-first-run",
                 "--window-size=1400,1000", f"--user-data-dir={folder}/browser") + words:
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(DRIVER), options=options)
    driver.set_script_timeout(30)
    return driver


def run(check, problems):
    """Calls check(driver, folder), which appends to `problems`; the test's exit status."""
    if not os.path.exists(BROWSER) or not os.path.exists(DRIVER):
        print("there is no chromium with a chromedriver here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        try:
            driver = start(folder)
        except WebDriverException as error:
            print(f"chromium does not start here: {error.msg}")
            return 77
        try:
            check(driver, folder)
        finally:
            driver.quit()
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0
