#!/bin/bash
# JUnit documents under xmllint with a schema: PROGRAM SOURCE. Status 77: xmllint is not here.
set -eu
command -v xmllint >/dev/null || { echo 'skipped: no xmllint (Debian: apt-get install libxml2-utils)'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2/tests/ci/documents.sh" "$1" "$2" "$work"
count=0
for file in "$work"/*.xml; do
  xmllint --noout --schema "$2/tests/ci/junit.xsd" "$file" || exit 1
  count=$((count + 1))
done
[ "$count" -eq 8 ] || { echo "FAILED: $count documents"; exit 1; }
# The schema can say no.
sed 's/ tests="[0-9]*"//' "$work/broken.xml" > "$work/wrong.xml"
! xmllint --noout --schema "$2/tests/ci/junit.xsd" "$work/wrong.xml" 2>/dev/null || { echo 'FAILED: anything passes'; exit 1; }
