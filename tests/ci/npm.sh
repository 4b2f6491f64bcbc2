#!/bin/bash
# SARIF under its schema and Microsoft's sarif-multitool with GitHub's rules, GitLab's report under a schema of its
# documented keys: PROGRAM SOURCE MODULES. Status 77: the npm packages of package.json are not in MODULES.
set -eu
modules=$3
if ! command -v node >/dev/null || [ ! -d "$modules/ajv" ] || [ ! -d "$modules/@microsoft/sarif-multitool-linux" ]; then
  echo "skipped: no npm packages in $modules (.ci/run installs them where there is a network)"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2/tests/ci/documents.sh" "$1" "$2" "$work"
export NODE_PATH=$modules DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
tool=$work/multitool
cp -r "$modules/@microsoft/sarif-multitool-linux" "$tool"
chmod u+x "$tool/Sarif.Multitool"
# Its exit status says nothing: what it found is read from its own report.
"$tool/Sarif.Multitool" validate "$work"/*.sarif --rule-kind 'Sarif;Ghas' --level 'Error;Warning;Note' \
  --output "$work/validation.json" --log ForceOverwrite >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
node "$2/tests/ci/validate.js" "$2" "$work" "$tool/sarif-2.1.0.json"
