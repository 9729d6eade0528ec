#!/usr/bin/env python3
"""Builds the documentation as a site with mkdocs, and looks at every link of it.

    tools/build_site.py OUT

OUT is made anew. A link that leads nowhere - a page, a file, a heading of a page - is said, and
status is 1 then. 77: mkdocs is not there (apt install mkdocs).
"""

import html.parser
import os
import shutil
import subprocess
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Page(html.parser.HTMLParser):
    """The names of a page that links may end in, and the links that it has."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.ids.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        link = attributes.get("href" if tag in ("a", "link") else "src")
        if link:
            self.links.append(link)


def pages_of(out):
    for folder, _, names in os.walk(out):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                yield path, Page(path)


def broken_links(out):
    pages = dict(pages_of(out))
    for path, page in sorted(pages.items()):
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue  # of other sites nothing is known
            # The page for what is not found is shown anywhere, so that its links are those of the root.
            base = out if parts.path.startswith("/") else os.path.dirname(path)
            target = os.path.normpath(os.path.join(base, urllib.parse.unquote(parts.path).lstrip("/")))
            target = path if not parts.path else target
            if os.path.isdir(target):
                target = os.path.join(target, "index.html")
            name = os.path.relpath(path, out)
            if not os.path.exists(target):
                yield f"{name}: {link} leads nowhere"
            elif parts.fragment and target in pages and parts.fragment not in pages[target].ids:
                yield f"{name}: {link}: there is no such heading"


def main():
    out = os.path.abspath(sys.argv[1])
    if not shutil.which("mkdocs"):
        print("mkdocs is not there: apt install mkdocs")
        return 77
    command = ["mkdocs", "build", "--strict", "--clean", "-d", out]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if process.returncode:
        print(process.stdout + process.stderr)
        return 1
    problems = list(broken_links(out))
    print("\n".join(problems) if problems else f"{out}: {sum(1 for _ in pages_of(out))} pages")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
