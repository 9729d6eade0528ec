"""Hooks of mkdocs: links that leave docs/ lead to copies of what they name, below project/.

Markdown is made a page, anything else is shown as it is; of a link to a folder its words remain, and
so they do of links from such copies to further files. So no link needs the repository's address.
"""

import os
import re

from mkdocs.structure.files import File

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Code comes first, so that links in it are none.
LINK = re.compile(r"(?ms:^```.*?^```)|(?<!`)`[^`\n]+`(?!`)|(!?)\[((?:[^][]|\[[^]]*\])*)\]\(([^)#\s]*)(#[^)\s]*)?\)")


def slug(heading, separator):
    """Names of headings as forges make them, so that a link to one works in both places."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", separator)


def on_page_content(html, **_):
    """Options and names are not broken at their hyphens."""
    return re.sub(r"<code>([^<\s]{2,40})</code>", r'<code class="short">\1</code>', html)


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug
    return config


def outside(page_path, target):
    """The path below ROOT that a link of a page means, or None if it stays in docs/."""
    if not target or re.match(r"[a-z]+:", target):
        return None
    base = page_path[len("project/"):] if page_path.startswith("project/") else "docs/" + page_path
    path = os.path.normpath(os.path.join(os.path.dirname(base), target))
    return None if path.startswith("docs/") and not page_path.startswith("project/") else path


def placed(path):
    """Where it stands on the site."""
    return path[len("docs/"):] if path.startswith("docs/") else "project/" + path


def links_of(page_path, text):
    for match in LINK.finditer(text):
        path = match.group(3) is not None and outside(page_path, match.group(3))
        if path:
            yield match, path


def add_file(files, path, config):
    """A copy in the site of a file of the project."""
    folder = os.path.join(config["site_dir"], "..", "site-project")
    to = os.path.join(folder, "project", path)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    with open(os.path.join(ROOT, path), "rb") as source, open(to, "wb") as copy:
        copy.write(source.read())
    files.append(File("project/" + path, folder, config["site_dir"], False))


def on_files(files, config):
    for file in [f for f in files if f.src_path.startswith("man/")]:  # the texts of manual pages
        files.remove(file)
    known = {f.src_path for f in files}
    for page in [f for f in files if f.src_path.endswith(".md")]:
        with open(page.abs_src_path, encoding="utf-8") as text:
            for _, path in links_of(page.src_path, text.read()):
                place = placed(path)
                if place in known or not os.path.isfile(os.path.join(ROOT, path)):
                    continue
                known.add(place)
                add_file(files, path, config)
    return files


def on_page_markdown(markdown, page, config, files):
    known = {f.src_path for f in files}
    here = os.path.dirname(page.file.src_path)

    def lead(match):
        path = match.group(3) is not None and outside(page.file.src_path, match.group(3))
        if not path:
            return match.group(0)
        if placed(path) not in known:
            return match.group(2)
        to = os.path.relpath(placed(path), here or ".")
        return f"{match.group(1)}[{match.group(2)}]({to}{match.group(4) or ''})"

    return LINK.sub(lead, markdown)
