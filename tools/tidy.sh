#!/usr/bin/env bash
# make tidy: compiles every file with clang and clang-tidy; the checks are those of .clang-tidy.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/install_dependencies.sh run test lint
tools/build.sh tidy
