#!/usr/bin/env bash
# tests/style.sh BUILD_FOLDER: formatting, lint and the house's rules about who may know whom.
set -uo pipefail
cd "$(dirname "$0")/.."
build=$1
status=0
complain() { printf '%s\n' "$*" >&2; status=1; }

mapfile -t sources < <(git ls-files '*.h' '*.cpp' '*.cu' '*.cuh')
clang-format --dry-run --Werror "${sources[@]}" || complain "clang-format: run clang-format -i on the files above"
.venv/bin/ruff check . || complain "ruff found faults"
.venv/bin/ruff format --check . || complain "ruff: run ruff format"

# harness/ names no family outside problems/, not even in a comment; `reduce` is also a function of CUDA's cooperative groups.
for family in $(ls variants); do
  git grep -nw "$family" -- harness ':!harness/problems' ':!harness/device/simt/cooperative_groups.h' &&
    complain "harness/ names the family $family"
done
for header in $(git ls-files 'variants/*' 'baselines/*' | xargs grep -hoE '#include "harness/[^"]+"' | sort -u | grep -oE 'harness/[^"]+'); do
  case $header in
    harness/problems/*|harness/catalog/*|harness/device/launch.h|harness/device/simt/cooperative_groups.h) ;;
    *) complain "variants/ and baselines/ may not include $header" ;;
  esac
done
# Includes run one way: main -> sweep -> measure -> device, and problems sees nothing of ours.
one_way() {
  local folder=$1
  shift
  local other
  for other in "$@"; do
    git grep -n "#include \"harness/$other/" -- "harness/$folder" && complain "harness/$folder may not include harness/$other"
  done
}
one_way problems catalog device measure results sweep
one_way catalog measure results sweep
one_way device catalog measure results sweep
one_way measure results sweep
one_way results sweep

exit $status
