#!/usr/bin/env bash
# From nothing to a Deployment that is rolled out, broken on purpose, diagnosed and mended, in the simulated cluster.
# kubectl is taken from CONVOY_KUBECTL (empty: none), else .cache/bin, else the PATH; without one only the steps that need convoy
# alone are done.
set -euo pipefail
cd "$(dirname "$0")/.."
convoy=bin/convoy

kubectl=$(PATH="$PWD/.cache/bin:$PATH" command -v kubectl || true)
kubectl=${CONVOY_KUBECTL-$kubectl}

folder=$(mktemp -d)
export KUBECONFIG=$folder/kubeconfig
sandbox=
finish() {
  [ -z "$sandbox" ] || kill "$sandbox" 2>/dev/null || true
  wait
  rm -rf "$folder"
}
trap finish EXIT

say() { printf '\n# %s\n' "$*"; }
show() {
  printf '$ %s\n' "$*"
  "$@"
}
# Runs a step that has to end with this exit code.
expect() {
  local wanted=$1 code=0
  shift
  show "$@" || code=$?
  [ "$code" -eq "$wanted" ] || { echo "first-steps: exit code $code, expected $wanted: $*" >&2 && exit 1; }
}

say 'A cluster to try things on'
mkfifo "$folder/ready"
"$convoy" sandbox --kubeconfig "$KUBECONFIG" >"$folder/ready" &
sandbox=$!
read -r line <"$folder/ready" || { echo 'first-steps: the sandbox did not start' >&2 && exit 1; }
echo "$line"

if [ -z "$kubectl" ]; then
  say 'No kubectl here: what there is without one'
  expect 0 "$convoy" health --all-kinds -A
  expect 4 "$convoy" health deploy/web --wait --timeout 1s
  exit 0
fi

say 'Roll a Deployment out'
expect 0 "$kubectl" create deployment web --image=shop:1 --replicas=3
expect 0 "$convoy" health deploy/web --wait --timeout 60s

say 'Break it: the tag `broken` stands for a program that exits'
expect 0 "$kubectl" set image deploy/web shop=shop:broken
expect 4 "$convoy" health deploy/web --wait --timeout 5s

say 'What is wrong, and what is not'
expect 1 "$convoy" health --all-kinds
expect 0 "$kubectl" get pods

say 'Mend it'
expect 0 "$kubectl" rollout undo deploy/web
expect 0 "$convoy" health deploy/web --wait --timeout 60s
