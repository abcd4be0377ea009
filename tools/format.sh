#!/usr/bin/env bash
# make fmt: formats every C++ file with the settings of .clang-format.
#
#   tools/format.sh [--check]     --check changes nothing: it prints what is formatted otherwise, and fails
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
how=(-i)
if [[ ${1:-} == --check ]]; then
  how=(--dry-run -Werror)
else
  tools/install_dependencies.sh lint
fi
find src test bench examples \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 -n 32 -P "$(nproc)" clang-format "${how[@]}" || {
  echo "format them: make fmt" >&2
  exit 1
}
