#!/usr/bin/env bash
# make tidy: reads C++ files with clang-tidy; the checks are those of .clang-tidy.
#
#   tools/tidy.sh              every source
#   tools/tidy.sh --changed    those that changed, and a source that includes each header that changed
#   tools/tidy.sh FILE...      these
#
# What changed is what differs from where the branch left origin/main or main. On main itself that is nothing, so there
# it is what the last TIDY_COMMITS commits changed (10 without it), or all that a shallow clone has. A file takes ten
# seconds and more, so of a long branch only the TIDY_FILES (8 without it) that changed last are read; it says how many
# it leaves to `make tidy`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The commit to compare with; the empty tree where there is none.
base_commit() {
  local main start
  for main in origin/main main; do
    start=$(git merge-base HEAD "$main" 2>/dev/null) || continue
    [[ $start == "$(git rev-parse HEAD)" ]] || { echo "$start"; return; }
  done
  git rev-parse --verify -q "HEAD~${TIDY_COMMITS:-10}" || git hash-object -t tree /dev/null
}

# Those that changed last come first.
changed_files() {
  local base patterns=('src/*.h' 'src/*.cpp' 'test/*.cpp' 'examples/*.cpp')
  base=$(base_commit)
  { git log --format= --name-only "$base..HEAD" -- "${patterns[@]}" 2>/dev/null || true
    git diff --name-only "$base" -- "${patterns[@]}"; } |
    awk '!seen[$0]++' | while read -r file; do [[ ! -f $file ]] || echo "$file"; done
}

# clang-tidy reads sources; a header is read through its own source, or the first that includes it.
sources_of() {
  local file
  while read -r file; do
    case $file in
      *.cpp) echo "$file" ;;
      *) if [[ -f ${file%.h}.cpp ]]; then
           echo "${file%.h}.cpp"
         else
           grep -rlF --include='*.cpp' "#include \"${file#src/}\"" src test | sort | head -1 || true
         fi ;;
    esac
  done
}

tools/install_dependencies.sh run test lint
mkdir -p build
cmake --preset tidy >build/tidy.configure.log 2>&1 || { cat build/tidy.configure.log >&2; exit 1; }
cmake --build build/tidy --target generated_sources -- --quiet
case ${1:-} in
  "") known=$(git ls-files 'src/*.cpp' 'test/unit/*.cpp') ;;
  --changed) known=$(changed_files) most=${TIDY_FILES:-8} ;;
  *) known=$(printf '%s\n' "$@") ;;
esac
# Only what the build compiles can be read: skeletons and fuzz targets are not in its list of commands.
mapfile -t sources < <(sources_of <<<"$known" | awk '!seen[$0]++' |
  while read -r file; do grep -qF "\"$PWD/$file\"" build/tidy/compile_commands.json && echo "$file"; done)
left=$((${#sources[@]} - ${most:-${#sources[@]}}))
if ((left > 0)); then
  sources=("${sources[@]:0:$most}")
  echo "clang-tidy reads the ${#sources[@]} files that changed last and leaves $left to 'make tidy'" >&2
else
  echo "clang-tidy reads ${#sources[@]} files" >&2
fi
[[ ${#sources[@]} == 0 ]] ||
  printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy -p build/tidy --quiet
