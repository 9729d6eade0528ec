"""Screenshots of the page of --format html beside those that are kept: light, dark, narrow and on paper.

Usage: html_screens.py            compares with tests/cli/html_screens/*.png
       html_screens.py --rebase   keeps what the page looks like now (BANKRUN: the command)

Means of blocks are compared, so that another version of a font passes, and a lost column does not: both
are tried here, too.
"""

import base64
import os
import sys

sys.path.insert(0, "tests")
from harness import browser  # noqa: E402
from harness.pages import COLUMN, bankrun  # noqa: E402

KEPT = "tests/cli/html_screens"
SCREENS = {"light": (1400, "light", ""), "dark": (1400, "dark", ""), "narrow": (400, "light", ""), "print": (760, "light", "print")}
SCALE = 0.25  # kept pictures are so much smaller
BLOCK, NEAR = 24, 2  # pixels of the page; blocks
MOST_MEAN, MOST_HEIGHT, MOST_COLOUR = 2.5, 0.06, 0.25  # of 255; of the height, and of the colour, that was
BREAKS = {
    "the details are lost": "#detail { visibility: hidden }",
    "the panes are not beside each other": "#panes { display: block }",
    "bars have no colour": ".bar > span, svg.banks .cell rect { background: none !important; fill: none !important }",
}
FONTS = {"another font": "body { font-family: 'Liberation Sans', Arial, sans-serif }",
         "letters closer to each other": "body { letter-spacing: -0.2px }"}
problems = []

# Both pictures as means of blocks: the mean difference of a block and the one most like it nearby.
COMPARE = """const [kept, fresh, step, near, done] = arguments;
async function draw(png) {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  const context = canvas.getContext("2d", {willReadFrequently: true});
  context.drawImage(image, 0, 0);
  return {width: image.width, height: image.height, pixels: context.getImageData(0, 0, image.width, image.height).data};
}
function means(picture, columns, rows) {
  const sums = new Float64Array(columns * rows * 4);
  for (let y = 0; y < picture.height; y++)
    for (let x = 0; x < picture.width; x++) {
      const block = Math.floor(y * rows / picture.height) * columns + Math.floor(x * columns / picture.width);
      for (let c = 0; c < 3; c++) sums[4 * block + c] += picture.pixels[4 * (y * picture.width + x) + c];
      sums[4 * block + 3]++;
    }
  return sums.map((sum, i) => (i % 4 === 3 ? 0 : sum / sums[i - i % 4 + 3]));
}
// How much colour there is: bars and lanes, whatever the font.
function colour(picture) {
  let sum = 0;
  for (let i = 0; i < picture.pixels.length; i += 4) {
    const [r, g, b] = picture.pixels.subarray(i, i + 3);
    sum += Math.max(0, Math.max(r, g, b) - Math.min(r, g, b) - 24);
  }
  return sum;
}
(async () => {
  const [a, b] = [await draw(kept), await draw(fresh)];
  const columns = Math.round(a.width / step), rows = Math.round(a.height / step);
  const [left, right] = [means(a, columns, rows), means(b, columns, rows)];
  // How far the block is from the one like it nearby, in the other picture: text may move a little.
  const apart = (one, other, x, y) => {
    let least = 255;
    for (let v = Math.max(0, y - near); v <= Math.min(rows - 1, y + near); v++)
      for (let u = Math.max(0, x - near); u <= Math.min(columns - 1, x + near); u++) {
        const [i, j] = [4 * (y * columns + x), 4 * (v * columns + u)];
        least = Math.min(least, Math.max(...[0, 1, 2].map((c) => Math.abs(one[i + c] - other[j + c]))));
      }
    return least;
  };
  let sum = 0;
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) sum += Math.max(apart(left, right, x, y), apart(right, left, x, y));
  done([a.width === b.width, Math.abs(a.height - b.height) / a.height, sum / (columns * rows),
    Math.abs(colour(a) - colour(b)) / colour(a)]);
})();"""


def page_in(folder):
    """A page that is the same in every folder."""
    with open(os.path.join(folder, "column.cu"), "w", encoding="utf-8") as file:
        file.write("".join(f"// line {n} of column.cu\n" for n in range(1, 31)))
    with open(os.path.join(folder, "k.ptx"), "w", encoding="utf-8") as file:
        file.write(COLUMN.replace("FILE", "column.cu"))
    done = bankrun("--format", "html", "-o", "run.html", "--launch", "column<<<2, 32>>>(out:u32[64])", "k.ptx", cwd=folder)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return "file://" + os.path.join(folder, "run.html")


def shoot(driver, address, screen, style=""):
    """The whole page as PNG, in base64."""
    width, scheme, media = SCREENS[screen]
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [
        {"name": "prefers-color-scheme", "value": scheme}]})
    driver.get("about:blank")
    driver.get(address)
    driver.execute_async_script("module.then(() => requestAnimationFrame(() => setTimeout(arguments[0])))")
    # The policy lets no style element in; a sheet that a script makes is not of the document.
    driver.execute_script("""if (!arguments[0]) return; const sheet = new CSSStyleSheet(); sheet.replaceSync(arguments[0]);
        document.adoptedStyleSheets = [sheet];""", style)
    if media == "print":
        driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    height = driver.execute_script("return document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": SCALE}
    return driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})["data"]


def differ(driver, kept, fresh):
    """In what the pictures differ, and whether that is too much."""
    driver.get("about:blank")
    is_wide, height, mean, colour = driver.execute_async_script(COMPARE, kept, fresh, BLOCK * SCALE, NEAR)
    text = f"mean {mean:.2f} of 255, height {100 * height:.1f} %, colour {100 * colour:.1f} %"
    return text, not is_wide or height > MOST_HEIGHT or mean > MOST_MEAN or colour > MOST_COLOUR


def path_of(screen):
    return os.path.join(KEPT, screen + ".png")


def compare(driver, address):
    told = []
    for screen in SCREENS:
        with open(path_of(screen), "rb") as file:
            kept = base64.b64encode(file.read()).decode()
        text, is_other = differ(driver, kept, shoot(driver, address, screen))
        told.append(f"{screen}: {text}")
        if is_other:
            problems.append(f"{screen}: looks otherwise than {path_of(screen)}: {text}; "
                            "tests/cli/html_screens.py --rebase, where that is meant")
        if screen != "light":
            continue
        for tried, wanted in ((BREAKS, True), (FONTS, False)):
            for what, style in tried.items():
                text, is_other = differ(driver, kept, shoot(driver, address, screen, style))
                told.append(f"{what}: {text}")
                if is_other != wanted:
                    problems.append(f"{what}: {'not ' if wanted else ''}seen: {text}")
    print("\n".join(told))


def check(driver, folder):
    address = page_in(folder)
    if "--rebase" not in sys.argv[1:]:
        compare(driver, address)
        return
    os.makedirs(KEPT, exist_ok=True)
    for screen in SCREENS:
        with open(path_of(screen), "wb") as file:
            file.write(base64.b64decode(shoot(driver, address, screen)))


sys.exit(browser.run(check, problems))
