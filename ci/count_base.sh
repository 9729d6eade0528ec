#!/bin/bash
# The same at the commit BASE, in a work tree of its own: action.yml's step.
#
#     count_base.sh PROFILE
#
# There is no profile afterwards where the source is new: then nothing can be compared.
set -eu -o pipefail

# Of a job in a container the repository has another owner.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(git rev-parse --show-prefix)
tree=${RUNNER_TEMP:?}/base

if [ -z "${BASE:-}" ]; then
    echo "::error title=bankrun::there is no base to compare with: baseline 'base' is for pull requests and pushes"
    exit 2
fi
git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --depth=1 origin "$BASE"
git worktree add --quiet --detach "$tree" "$BASE"
cd "$tree/$prefix"
if [ -n "${SOURCE:-}" ] && [ -z "${PREPARE:-}" ] && [ ! -e "$SOURCE" ]; then
    echo "::notice title=bankrun::$SOURCE is new: there is nothing to compare with"
    exit 0
fi
status=0
bash "$here/count.sh" "$1" || status=$?
if [ ! -s "$1" ]; then
    echo "::error title=bankrun::the base ($BASE) could not be counted"
    exit "$((status ? status : 1))"
fi
