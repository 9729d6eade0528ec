"""For tests of unittest: a folder for each test, and commands whose output is read."""

import os
import shutil
import subprocess
import tempfile
import unittest


def run(*words, **more):
    return subprocess.run(words, check=False, capture_output=True, text=True, **more)


class FolderCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path
