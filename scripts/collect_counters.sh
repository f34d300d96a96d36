#!/usr/bin/env bash
# scripts/collect_counters.sh HARNESS OUT [SECONDS [I/N]]: what the GPU's own counters say of one call of each variant
# that the table of scripts/compare_counters.py has. Needs a GPU and ncu. Leaves OUT/counters_ncu.csv.gz (Nsight
# Compute's rows, one a launch) and OUT/counters_calls.csv (which process was which call). Begins no call after SECONDS
# (default 600). I/N, from 0: only every N-th call, so that several GPUs share the work, with one OUT each;
# CUDA_VISIBLE_DEVICES says which GPU it is, and `cat` puts their files together.
set -uo pipefail

metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum

# Entries (a glob: known-wrong ones are called only by name), type and the sizes: an even one, and one that is odd and
# no multiple of anything. The one-block scans take no more than a block's worth.
calls=(
  'reduce/korean_course/* float32 65536 65519'
  'reduce/divergence/* float32 65536 65519'
  'reduce/pairings/* float32 65536 65519'
  'reduce/harris/* float32 65536 65519'
  'reduce/harris/v1_as_published float32 65536 65519'
  'reduce/harris/v4_as_published float32 65536 65519'
  'reduce/harris/v6 float32 65536 65536 65536' # again: a figure that changes from call to call is no count of addresses
  'sum_of_squares/geforce_8800gt/* float32 65536 65519'
  'elementwise/oneflow_pack/* float32 65536 65519'
  'elementwise/oneflow_pack/packed_in_pairs float16 65536 65519'
  'upsample_nearest2x/oneflow_nearest2x/* float32 65536 65519'
  'scan/ladder/* float32 65536 65519 1024 1013'
  'dot/half_atomics/* float16 65536 65519'
)

if [ "${1:-}" = --calls ]; then # under ncu: a process makes its calls in the order in which it says so
  harness=$2 out=$3 seconds=$4 part=${5%/*} parts=${5#*/} number=0
  echo "process,entry,n,type,answer" >"$out/counters_calls.csv"
  for call in "${calls[@]}"; do
    read -r entries type sizes <<<"$call"
    for n in $sizes; do
      [ $((number++ % parts)) -eq "$part" ] || continue
      [ "$SECONDS" -lt "$seconds" ] || { echo "no time left for $entries n = $n" >&2; continue; }
      "$harness" --call "$entries" --n "$n" --type "$type" >"$out/call.log" 2>&1 </dev/null &
      process=$!
      wait "$process"
      awk -v process="$process" -v n="$n" -v type="$type" '
        match($0, /: (right|WRONG|FAILED|not called)/) {
          answer = substr($0, RSTART + 2, RLENGTH - 2)
          print process "," $1 "," n "," type "," tolower(answer)
        }' "$out/call.log" >>"$out/counters_calls.csv"
      grep -hE 'WRONG|FAILED|^harness:' "$out/call.log"
    done
  done
  rm -f "$out/call.log"
  exit 0
fi

harness=${1:?usage: scripts/collect_counters.sh HARNESS OUT [SECONDS [I/N]]} out=${2:?an output folder is missing}
mkdir -p "$out"
ncu --target-processes all --clock-control none --nvtx --nvtx-include "tally/" --csv --page raw --metrics "$metrics" \
  --log-file "$out/counters_ncu.csv" bash "$0" --calls "$harness" "$out" "${3:-600}" "${4:-0/1}" || exit 1
rows=$(grep -c '^"[0-9]' "$out/counters_ncu.csv")
sed -i '/^==/d' "$out/counters_ncu.csv" # what ncu says of itself
gzip -9nf "$out/counters_ncu.csv"
echo "$rows launches of $(($(wc -l <"$out/counters_calls.csv") - 1)) calls counted"
[ "$rows" -gt 0 ]
