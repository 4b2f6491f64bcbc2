#!/bin/sh
# A session in Neovim's own client (session.lua). usage: nvim_test.sh HEADROOM SOURCE_DIR
set -eu
command -v nvim >/dev/null 2>&1 || {
  echo 'skipped: no nvim here'
  exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/.git"
cp "$2/tests/lsp/data/broken.yaml" "$folder/run.yaml"
cd "$folder"
HEADROOM=$1 CONFIG="$folder/run.yaml" XDG_STATE_HOME="$folder" XDG_CACHE_HOME="$folder" XDG_DATA_HOME="$folder" \
  timeout 120 nvim --headless --clean -n -c "luafile $2/tests/editors/session.lua" 2>&1
echo
"$1" check run.yaml # the file that Neovim wrote
