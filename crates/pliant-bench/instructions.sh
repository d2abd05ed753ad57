#!/usr/bin/env bash
# Counts the instructions of the hot kernels under callgrind, per element or vertex: a measure of work that other programs on
# the machine do not disturb. Needs valgrind. Prints a table beside the counts kept in docs/instructions.json, so that a
# regression shows; writes the new ones where asked to.
#   crates/pliant-bench/instructions.sh [FILE.json]
set -euo pipefail
cd "$(dirname "$0")/../.."

json=${1:-}
kept=docs/instructions.json
calls=10
command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 1; }
cargo build --quiet --release --package pliant-bench
binary=${CARGO_TARGET_DIR:-target}/release/pliant-bench
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

# What was kept of a kernel, per call and element; empty where nothing was.
kept_of() { sed -n "s/.*\"kernel\": \"$1\".*\"each\": \([0-9.]*\).*/\1/p" "$kept" 2>/dev/null || true; }

printf '%-10s %6s %10s %16s %22s %10s\n' kernel calls elements instructions "per call and element" kept
rows=()
for kernel in solve springs triangles tets; do
  # Counting begins and ends with the calls of one function, so that setting up does not count.
  valgrind --tool=callgrind --toggle-collect='pliant_bench::kernels::counted*' \
    --callgrind-out-file="$scratch/$kernel" "$binary" kernels --only "$kernel" --calls "$calls" \
    >"$scratch/work" 2>"$scratch/log" || { cat "$scratch/log" >&2; exit 1; }
  read -r _ _ count unit <"$scratch/work"
  total=$(awk '/^totals:/ { print $2 }' "$scratch/$kernel")
  if [ "${total:-0}" -lt "$((count * calls))" ]; then
    echo "$kernel: next to nothing was counted; is the work still done within pliant_bench::kernels::counted, on its thread?" >&2
    exit 1
  fi
  each=$(awk -v total="$total" -v count="$count" -v calls="$calls" 'BEGIN { printf "%.1f", total / count / calls }')
  printf '%-10s %6d %10d %16d %22s %10s\n' "$kernel" "$calls" "$count" "$total" "$each/$unit" "$(kept_of "$kernel")"
  rows+=("  {\"kernel\": \"$kernel\", \"calls\": $calls, \"unit\": \"$unit\", \"count\": $count, \"instructions\": $total, \"each\": $each}")
done

if [ -n "$json" ]; then
  { echo '['; printf '%s,\n' "${rows[@]}" | sed '$ s/,$//'; echo ']'; } >"$json"
fi
