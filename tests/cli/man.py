"""The manual pages: one for each command, with all its options, made of its help; they render without a warning."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))
TOOL = os.path.abspath("tools/man_pages.py")


def ask(*words):
    return subprocess.run([BANKRUN, *words], capture_output=True, text=True, check=True).stdout


def make(out, *words):
    return subprocess.run([sys.executable, TOOL, BANKRUN, out, *words], capture_output=True, text=True, check=False)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def readable(text):
    """A page without roff's own: as it is read."""
    for code, character in (("\\(aq", "'"), ("\\(ga", "`"), ("\\(ha", "^"), ("\\(ti", "~"), ("\\-", "-"), ("\\&", ""),
                            ("\\e", "\\")):
        text = text.replace(code, character)
    return re.sub(r"\\f[BIR]", "", text)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        done = make(cls.folder)
        if done.returncode:
            raise AssertionError(done.stderr)
        cls.names = sorted(os.listdir(cls.folder))
        cls.commands = [line.split("\t")[0] for line in ask("help", "--list").splitlines()]
        cls.commands.remove("help")

    def test_one_for_each_command(self):
        self.assertGreater(len(self.commands), 8)
        self.assertEqual(self.names, sorted(["bankrun.1"] + [f"bankrun-{command}.1" for command in self.commands]))

    def test_installed(self):
        """What meson installs has all of them: its list is a list of its own."""
        listed = re.search(r"foreach command : \[(.*)\]", read("docs", "man", "meson.build"))
        self.assertEqual(re.findall(r"'([\w-]+)'", listed[1]), self.commands)

    def test_options(self):
        for command in self.commands:
            page = readable(read(self.folder, f"bankrun-{command}.1"))
            section = page.split(".SH OPTIONS\n")[1].split("\n.SH ")[0]
            found = re.findall(r"^\.TP\n(?:-\w, )?--([a-z][a-z-]+)", section, re.MULTILINE)
            wanted = [line.split("\t")[0].removeprefix("--") for line in ask("help", "--list", command).splitlines()]
            self.assertEqual(found, wanted, command)

    def test_what_the_help_says(self):
        """Each word of a help is on the page of its command, but for those of the texts that stand in place of them."""
        replaced = {part[1] for part in re.finditer(r"^@instead \S+ (--[\w-]+)$", read("docs", "man", "commands.roff"),
                                                    re.MULTILINE)}
        self.assertEqual(replaced, {"--fail-on", "--suppressions"})
        for command in self.commands:
            page = set(readable(read(self.folder, f"bankrun-{command}.1")).split())
            said, skips = ask(command, "--help").replace("Usage:", "").replace("Options:", ""), False
            for line in re.sub(r"^(Exit status:|A launch:)", "", said, flags=re.MULTILINE).split("\n"):
                if re.match(r" {2,6}-", line):
                    skips = any(line.split()[0] == name for name in replaced)
                elif not line.startswith(" " * 20):
                    skips = False
                missing = [] if skips else [word for word in line.split() if word.rstrip(".;:") not in page and word not in page]
                self.assertEqual(missing, [], f"{command}: {line}")

    def test_texts_in_place(self):
        """They name all that may be written: what the option's list of words has."""
        for command in ("run", "report", "diff"):
            row, = (line for line in ask("help", "--list", command).splitlines() if line.startswith("--fail-on\t"))
            page = readable(read(self.folder, f"bankrun-{command}.1"))
            section = page.split("--fail-on GATE\n")[1].split("\n.RE\n")[0]
            for word in row.split("\t")[3].split():
                self.assertRegex(section, rf"(?m)^\.B[IR]* {word}\b", command)

    def test_page_of_all(self):
        page = readable(read(self.folder, "bankrun.1"))
        for command in self.commands:
            self.assertIn(f".TP\n.BR bankrun-{command} (1)\n", page)
        for status in re.findall(r"(\d): ", ask("--help").split("Exit status:")[1]):
            self.assertIn(f"\n.TP\n{status}\n", page)

    def test_texts_of_nothing(self):
        """A text about an option that is gone is an error."""
        texts = os.path.join(self.folder, "texts")
        shutil.copytree(os.path.join("docs", "man"), texts)
        self.addCleanup(shutil.rmtree, texts)
        with open(os.path.join(texts, "commands.roff"), "a", encoding="utf-8") as file:
            file.write("@option run,diff --gone\nIt was useful.\n")
        done = make(os.path.join(self.folder, "none"), texts)
        self.assertEqual(done.returncode, 1)
        self.assertIn("option run --gone; option diff --gone", done.stderr)

    def check_with(self, *command, allowed=()):
        if not shutil.which(command[0]):
            self.skipTest(f"{command[0]} is not installed")
        for name in self.names:
            done = subprocess.run([*command, name], cwd=self.folder, capture_output=True, text=True, check=False,
                                  env={**os.environ, "LC_ALL": "C.UTF-8"})
            said = [line for line in (done.stdout + done.stderr).splitlines() if not any(a in line for a in allowed)]
            self.assertEqual(said, [])

    def test_groff(self):
        self.check_with("groff", "-man", "-ww", "-Tutf8", "-z")

    def test_mandoc(self):
        # Of a version that is not released nobody knows the day.
        self.check_with("mandoc", "-Tlint", "-Wwarning", allowed=() if "## [0." in read("CHANGELOG.md") else ("missing date",))


if __name__ == "__main__":
    unittest.main()
