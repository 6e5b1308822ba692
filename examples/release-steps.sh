#!/usr/bin/env bash
# From a cluster without convoy to a Release that is applied, broken on purpose, rolled back, mended and deleted, in the simulated
# cluster. kubectl is taken from CONVOY_KUBECTL, else .cache/bin, else the PATH.
set -euo pipefail
cd "$(dirname "$0")/.."
convoy=bin/convoy

kubectl=$(PATH="$PWD/.cache/bin:$PATH" command -v kubectl || true)
kubectl=${CONVOY_KUBECTL-$kubectl}
[ -n "$kubectl" ] || { echo 'release-steps: kubectl is needed: put it into the PATH or .cache/bin' >&2 && exit 1; }

folder=$(mktemp -d)
export KUBECONFIG=$folder/kubeconfig
started=()
finish() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
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
  [ "$code" -eq "$wanted" ] || { echo "release-steps: exit code $code, expected $wanted: $*" >&2 && exit 1; }
}
# Waits for the reason of a condition of the Release.
until_reason() {
  show "$kubectl" wait "release/podinfo" --timeout=60s \
    --for="jsonpath={.status.conditions[?(@.type==\"$1\")].reason}=$2"
}

say 'A cluster, and convoy in it'
mkfifo "$folder/ready"
"$convoy" sandbox --kubeconfig "$KUBECONFIG" >"$folder/ready" &
started+=($!)
read -r line <"$folder/ready" || { echo 'release-steps: the sandbox did not start' >&2 && exit 1; }
echo "$line"
printf '$ convoy install --only crds | kubectl apply --server-side -f -\n'
"$convoy" install --only crds | "$kubectl" apply --server-side -f -
printf '$ convoy install --only rules | kubectl apply --server-side -f -\n'
"$convoy" install --only rules | "$kubectl" apply --server-side -f - | tail -n 1
printf '$ convoy operator &\n'
"$convoy" operator --no-aggregated-api --health-bind-address 127.0.0.1:0 2>"$folder/operator.log" &
started+=($!)

say 'Apply a Release, and wait until it works'
expect 0 "$kubectl" apply -f examples/release.yaml
until_reason Ready Succeeded
expect 0 "$convoy" release health podinfo

say 'Break it: the tag `missing` stands for an image that does not exist'
sed 's/podinfo:6.7/podinfo:missing/' examples/release.yaml | expect 0 "$kubectl" apply -f -
until_reason Ready WaveDegraded
expect 1 "$convoy" release health podinfo

say 'Back to what was healthy last'
expect 0 "$convoy" release rollback podinfo
until_reason Healthy Healthy
expect 0 "$convoy" release history podinfo

say 'Mend it'
sed 's/podinfo:6.7/podinfo:6.8/' examples/release.yaml | expect 0 "$kubectl" apply -f -
until_reason Ready Succeeded
expect 0 "$convoy" release list

say 'Delete it, and what it applied goes too'
expect 0 "$kubectl" delete release podinfo --timeout=60s
expect 1 "$kubectl" get deployment podinfo
