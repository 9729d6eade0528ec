"""tools/build_site.py: the documentation as a site has no broken link, and a broken one is said."""

import os
import shutil
import subprocess
import sys
import tempfile

problems = []


def build(root, out):
    return subprocess.run([sys.executable, "tools/build_site.py", out], cwd=root, capture_output=True, text=True, check=False)


def check_whole(folder):
    process = build(".", os.path.join(folder, "site"))
    if process.returncode:
        problems.append(process.stdout + process.stderr)
    for page in ("index.html", "how-to/gate.html", "checks/index.html", "explorer/index.html", "search/search_index.json"):
        if not os.path.exists(os.path.join(folder, "site", page)):
            problems.append(f"the site has no {page}")


def expect_broken(folder, text, message):
    root = os.path.join(folder, "small")
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(os.path.join(root, "docs"))
    shutil.copytree("tools", os.path.join(root, "tools"))
    with open(os.path.join(root, "mkdocs.yml"), "w", encoding="utf-8") as file:
        file.write("site_name: small\nuse_directory_urls: false\nhooks: [tools/site_hooks.py]\n")
    with open(os.path.join(root, "docs", "index.md"), "w", encoding="utf-8") as file:
        file.write("# Small\n\n" + text)
    process = build(root, os.path.join(folder, "broken"))
    if (process.returncode == 0) == bool(message) or message not in process.stdout:
        problems.append(f"{text}: status {process.returncode}, {process.stdout}")


def main():
    if not shutil.which("mkdocs"):
        print("mkdocs is not installed (make site gets it)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check_whole(folder)
        expect_broken(folder, "[good](#small), `[no link](nowhere.md)`, [a folder](../tools)\n", "")
        expect_broken(folder, "[bad](nowhere.md)\n", "nowhere.md")
        expect_broken(folder, "[bad](#nowhere)\n", "there is no such heading")
        expect_broken(folder, "<a href=\"nowhere.html\">bad</a>\n", "leads nowhere")
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
