#!/usr/bin/env bash
# make run: builds the command line and does the main job, classification and attention on the bundled digits.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/install_dependencies.sh run
tools/build.sh release tessera
examples/digits/run.sh
