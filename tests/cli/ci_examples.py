"""The examples for GitHub and GitLab: their steps run as they stand, in a repository whose newest
commit makes a line worse, or better; gh and curl are recorded instead of called."""

import os
import subprocess
import sys
import tempfile

BANKRUN = os.path.abspath(os.environ["BANKRUN"])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

if not os.environ.get("BANKRUN_TEST_NVCC"):
    print("needs nvcc")
    sys.exit(77)
try:
    import yaml
except ImportError:
    print("needs PyYAML (python3-yaml)")
    sys.exit(77)

SOURCE = """__global__ void turn(float *out, const float *in) {
    __shared__ float tile[32][%d];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 4096), cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    turn<<<1, dim3(32, 32)>>>(out, in);
    return cudaDeviceSynchronize();
}
"""
RECORD = '#!/bin/sh\n{ echo "$0 $*"; cat comment.md; } >> "$RECORD"\n'


def check(holds, what):
    if not holds:
        sys.exit(what)


def git(folder, *arguments):
    return subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *arguments], cwd=folder, check=True,
                          capture_output=True, text=True).stdout.strip()


def repository(folder, before, after):
    """A repository of two commits; the first one's hash."""
    path = os.path.join(folder, "project")
    os.makedirs(os.path.join(path, "src"))
    git(path, "init", "-q")
    for columns in (before, after):
        with open(os.path.join(path, "src", "transpose.cu"), "w", encoding="utf-8") as file:
            file.write(SOURCE % columns)
        git(path, "add", ".")
        git(path, "commit", "-q", "--allow-empty", "-m", f"rows of {columns}")
    return path, git(path, "rev-parse", "HEAD~1")


def environment(folder, **more):
    tools = os.path.join(folder, "bin")
    os.makedirs(tools, exist_ok=True)
    for name in ("gh", "curl"):
        with open(os.path.join(tools, name), "w", encoding="utf-8") as file:
            file.write(RECORD)
        os.chmod(os.path.join(tools, name), 0o755)
    if not os.path.exists(os.path.join(tools, "bankrun")):
        with open(os.path.join(tools, "bankrun"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{BANKRUN}" "$@"\n')
        os.chmod(os.path.join(tools, "bankrun"), 0o755)
    return dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", RECORD=os.path.join(folder, "record"),
                HOME=folder, **more)


def run_steps(steps, path, env):
    """Up to the first that fails, as runners do: its number, or None, and what all printed."""
    text = ""
    for number, step in enumerate(steps):
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step], cwd=path, env=env, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        text += done.stdout
        if done.returncode:
            return number, done.returncode, text
    return None, 0, text


def github(folder, path, base):
    with open(os.path.join(ROOT, "examples/ci/github.yml"), encoding="utf-8") as file:
        workflow = yaml.safe_load(file)
    steps = workflow["jobs"]["bankrun"]["steps"]
    names = [step["name"] for step in steps if "run" in step]
    check(names[0] == "Install bankrun" and names[-1] == "Gate", names)
    env = environment(folder, BASE=base, PULL_REQUEST="7", GITHUB_STEP_SUMMARY=os.path.join(folder, "summary"),
                      **workflow["env"])
    return run_steps([step["run"] for step in steps if "run" in step][1:], path, env)


def gitlab(folder, path, base):
    with open(os.path.join(ROOT, "examples/ci/gitlab.yml"), encoding="utf-8") as file:
        job = yaml.safe_load(file)["bank conflicts"]
    variables = {key: value for key, value in job["variables"].items() if "$" not in value}
    env = environment(folder, CI_PROJECT_DIR=path, CI_MERGE_REQUEST_DIFF_BASE_SHA=base, BANKRUN_TOKEN="secret",
                      CI_API_V4_URL="https://gitlab.example/api/v4", CI_PROJECT_ID="3", CI_MERGE_REQUEST_IID="4",
                      **variables)
    return run_steps(job["script"], path, env)


for example, asked in ((github, "pr comment 7 --body-file comment.md"),
                       (gitlab, "https://gitlab.example/api/v4/projects/3/merge_requests/4/notes")):
    for before, after, status, says in ((33, 32, 6, "992"), (32, 33, 0, "992"), (33, 33, 0, "Nothing changed")):
        with tempfile.TemporaryDirectory() as folder:
            path, base = repository(folder, before, after)
            failed, got, text = example(folder, path, base)
            what = f"{example.__name__} {before} -> {after}: step {failed}, status {got}\n{text}"
            check(got == status and says in text + open(os.path.join(folder, "record"), encoding="utf-8").read(), what)
            with open(os.path.join(folder, "record"), encoding="utf-8") as file:
                record = file.read()
            check(asked in record and "bankrun diff" in record, record)
            check(os.path.exists(os.path.join(path, "bankrun.html")), what)
            if example is github:
                check(("::warning" in text or "::error" in text) == (after == 32), what)
