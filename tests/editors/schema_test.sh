#!/bin/sh
# JSON Schemas against ajv and yaml-language-server, which npm fetches once. usage: schema_test.sh HEADROOM SOURCE_DIR BUILD_DIR
set -eu
for tool in node npm; do
  command -v $tool >/dev/null 2>&1 || {
    echo "skipped: no $tool here"
    exit 77
  }
done
folder=$3/editors-npm
mkdir -p "$folder"
cp "$2/tests/editors/package.json" "$2/tests/editors/package-lock.json" "$folder"
if ! cmp -s "$folder/package-lock.json" "$folder/installed.json"; then
  (cd "$folder" && timeout 120 npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1) || {
    echo "skipped: npm cannot fetch the packages (log: $folder/npm.log)"
    exit 77
  }
  cp "$folder/package-lock.json" "$folder/installed.json"
fi
node "$2/tests/editors/schema_test.js" "$1" "$2" "$folder/node_modules"
