#!/bin/bash
# The hooks under the real pre-commit, in throw-away repositories: PROGRAM SOURCE. Status 77: pre-commit is not here.
set -eu
program=$1
source=$2
if ! command -v pre-commit >/dev/null || ! command -v git >/dev/null; then
  echo 'skipped: no pre-commit (Debian: apt-get install pre-commit)'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/home" "$work/hooks" "$work/user"
ln -s "$program" "$work/bin/headroom"
export PATH="$work/bin:$PATH" HOME="$work/home" PRE_COMMIT_HOME="$work/home/cache" PRE_COMMIT_COLOR=never
export GIT_CONFIG_GLOBAL="$work/home/gitconfig" GIT_CONFIG_SYSTEM=/dev/null
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git config --global user.name test
git config --global user.email test@example.org
git config --global init.defaultBranch main

fail() { echo "FAILED: $*"; cat "$work/out" || true; exit 1; }
expect() { grep -qF -- "$1" "$work/out" || fail "expected: $1"; }

cd "$work/hooks"
git init -q
cp "$source/.pre-commit-hooks.yaml" .
git add -A
git commit -qm hooks
git tag v0.1.0

cd "$work/user"
git init -q
# The snippet of the docs, with the place of the clone.
sed "s#https://example.org/headroom#file://$work/hooks#" "$source/docs/ci/pre-commit-config.yaml" > .pre-commit-config.yaml
pre-commit validate-config .pre-commit-config.yaml >"$work/out" 2>&1 || fail 'the config of the docs is invalid'
pre-commit validate-manifest "$source/.pre-commit-hooks.yaml" >"$work/out" 2>&1 || fail 'the hooks are invalid'
pre-commit install >"$work/out" 2>&1 || fail install
mkdir conf other
good='model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4}'
bad='model: {num_layers: 5, hidden_size: 64, num_attention_heads: 4, pipeline_model_parallel_size: 2}'
echo "$good" > 'conf/a b.yaml'
echo "$bad" > other/not-a-config.yaml
git add -A
git commit -m good >"$work/out" 2>&1 || fail 'a clean config is refused'
expect 'headroom check'
expect 'Passed'

for i in $(seq 40); do echo "$bad" > "conf/bad $i.yaml"; done
git add -A
! git commit -m bad >"$work/out" 2>&1 || fail 'broken configs are committed'
expect 'Failed'
expect 'conf/bad 7.yaml'
[ "$(grep -c '40 errors' "$work/out")" = 1 ] || fail 'the files went into several calls'
rm conf/bad*

# The hook that repairs: it fails once as it changes files, then passes.
sed -i 's/id: headroom$/id: headroom-fix/' .pre-commit-config.yaml
printf 'model:\n  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n  recompute_method: uniform  # kept\n' > conf/c.yaml
git add -A
! git commit -m fix >"$work/out" 2>&1 || fail 'a file was changed, and the commit went through'
expect 'files were modified by this hook'
git add -A
git commit -m fixed >"$work/out" 2>&1 || fail 'the repaired config is refused'
echo 'ok: pre-commit'
