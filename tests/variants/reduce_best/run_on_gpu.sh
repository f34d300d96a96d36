#!/usr/bin/env bash
# tests/variants/reduce_best/run_on_gpu.sh OUT [tune]: on a machine with a Hopper GPU and nvcc, builds what is in this
# folder, checks best.cuh and compares it with CUB; results in OUT. With `tune`, first sweeps all kernels and writes a
# new variants/reduce/best/tuned.h. About a minute of a 16-core machine, half a minute more with `tune`.
set -euo pipefail
cd "$(dirname "$0")/../../.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
declare -A of_type=([float32]=float [float64]=double [int32]=std::int32_t [int64]=std::int64_t [float16]=__half
  [bfloat16]=__nv_bfloat16 [int8]=std::int8_t)
largest() { case $1 in float32|int32|float16|int8) echo 30 ;; float64) echo 29 ;; *) echo 28 ;; esac; }
build() {
  local program=$1 binary=$2
  shift 2
  nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -diag-suppress 177,20012 -I. "$@" \
    "tests/variants/reduce_best/$program.cu" -o "$built/$binary"
}
wait_for_all() { while [ -n "$(jobs -rp)" ]; do wait -n || exit 1; done; }

if [ "${2:-}" = tune ]; then
  for type in float32 float64 float16 int8; do
    ideas=()
    [ $type = float32 ] && ideas=(-DTUNE_IDEAS)
    build sweep_reduce "sweep_$type" -DTUNE_TYPE="${of_type[$type]}" -DTUNE_OP=Sum "${ideas[@]}" &
  done
  wait_for_all
  # In two processes: how soon kernels start belongs to a process, and shapes that are alike otherwise differ by it.
  for process in 1 2; do
    for type in float32 float64 float16 int8; do
      name=sweep_${type}_sum_$process
      "$built/sweep_$type" $type/sum 10 "$(largest $type)" "$out/$name.json" > "$out/$name.txt"
    done
  done
  python3 tests/variants/reduce_best/tune_table.py variants/reduce/best/tuned.h "$out"/sweep_*.json
  cp variants/reduce/best/tuned.h "$out"
fi

build check_reduce check_reduce &
for type in "${!of_type[@]}"; do build compare_reduce "compare_$type" -DTUNE_TYPE="${of_type[$type]}" & done
wait_for_all
"$built/check_reduce" | tee "$out/check.txt"
for type in float32 float64 int32 int64 float16 bfloat16 int8; do
  "$built/compare_$type" $type 10 "$(largest $type)" "$out/compare_$type.jsonl" > "$out/compare_$type.txt"
  cat "$out/compare_$type.jsonl" >> "$out/compare.jsonl"
  grep SUMMARY "$out/compare_$type.txt"
done
