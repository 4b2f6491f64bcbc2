#!/bin/sh
# A clean clone and the first commands of the README, as a newcomer would type them. Takes as long as a build.
# usage: clean_clone.sh SOURCE_DIR WORK_DIR
set -eu
clone=$2/clean-clone
rm -rf "$clone"
git clone -q --no-hardlinks "$1" "$clone"
cd "$clone"
cp examples/llama3_70b_sft_h100.yaml run_config.yaml # the reader's own
sed -n '/^    \.\/bootstrap build/,/^$/s/^    \([^#]*\).*/\1/p' README.md | sed '/^$/q' >commands
[ "$(wc -l <commands)" -ge 2 ] || {
  echo 'FAILED: the README does not begin with two commands'
  exit 1
}
while read -r command; do
  echo "\$ $command"
  sh -c "$command" </dev/null
done <commands
cd "$2" && rm -rf "$clone"
