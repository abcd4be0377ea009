#!/usr/bin/env bash
# Classifies the bundled digits and runs attention over them; prints the accuracy and where attention's time went.
#
#   examples/digits/run.sh [TESSERA]      the program to run, build/release/src/cli/tessera without it
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tessera=${1:-$folder/../../build/release/src/cli/tessera}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
cd "$folder"

echo "== Nearest neighbour: 500 digits against 1297 (nearest_neighbour.ein)"
"$tessera" run nearest_neighbour.ein --quiet \
  candidates=candidates.npy candidate_labels=candidate_labels.npy queries=queries.npy query_labels=query_labels.npy \
  -o predicted="$results/predicted.npy"

echo
echo "== Attention: 1797 digits, 4 heads (attention.ein); the plan and its times"
"$tessera" run attention.ein --analyze pixels=pixels.npy labels=labels.npy -o Y="$results/Y.npy" 2>&1
