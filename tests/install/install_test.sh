#!/bin/sh
# Installs into an empty folder and uses what lies there: program, manual, completions, library, packages.
# usage: install_test.sh BUILD_DIR SOURCE_DIR CXX
set -eu
build=$1 source=$2 cxx=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

prefix=$folder/usr
cmake --install "$build" --prefix "$prefix" >"$folder/install.log" || fail "install: $(cat "$folder/install.log")"
program=$prefix/bin/headroom
"$program" --version | grep -Eq '^headroom [0-9]+\.[0-9]+\.[0-9]+ \(data of [0-9]{4}-[0-9]{2}-[0-9]{2}\)$' || fail version
for file in share/man/man1/headroom.1 share/bash-completion/completions/headroom share/zsh/site-functions/_headroom \
  share/fish/vendor_completions.d/headroom.fish share/doc/headroom/rules/pipeline/layers-divisible.md \
  share/doc/headroom/README.md share/doc/headroom/copyright include/headroom/lint/lint.hpp; do
  [ -s "$prefix/$file" ] || fail "no $file"
done

# Every command and every option of its help is in the manual and in the completions.
"$program" generate man | sed 's/\\-/-/g; s/\\f[BIR]//g' >"$folder/manual"
commands=$("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -w)" -ge 9 ] || fail "commands: $commands"
for command in $commands; do
  grep -q "^.SS headroom $command$" "$folder/manual" || fail "manual: $command"
  for shell in bash zsh fish; do
    "$program" generate $shell | grep -q -- "$command" || fail "$shell: $command"
  done
  for option in $("$program" "$command" --help | grep -Eo '^ +(-[a-z],)?--[a-z-]+' | grep -Eo -- '--[a-z-]+'); do
    sed -n "/^.SS headroom $command$/,/^.S[SH] /p" "$folder/manual" | grep -q -- "$option" || fail "manual: $command $option"
    "$program" generate bash | sed -n "/^    $command)/,/;; *$/p" >/dev/null
    "$program" generate bash | grep -q -- "$option" || fail "bash: $command $option"
    "$program" generate fish | grep -q "__fish_seen_subcommand_from $command' .*-l ${option#--}" || fail "fish: $command $option"
  done
done
if command -v man >/dev/null 2>&1; then
  warnings=$(MANROFFSEQ='' man --warnings -E UTF-8 -l "$prefix/share/man/man1/headroom.1" 2>&1 >/dev/null)
  [ -z "$warnings" ] || fail "man: $warnings"
fi
if command -v bash >/dev/null 2>&1; then
  complete_words() { # cursor at the end of the last word
    bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _headroom; echo "${COMPREPLY[*]}"' \
      "$prefix/share/bash-completion/completions/headroom" "$@"
  }
  [ "$(complete_words headroom effec)" = effective ] || fail 'bash: command'
  [ "$(complete_words headroom check --col)" = --color ] || fail 'bash: option'
  [ "$(complete_words headroom check --color n)" = never ] || fail 'bash: value'
  complete_words headroom schema --dialect nem | grep -q nemo-rl || fail 'bash: dialect'
fi
if command -v zsh >/dev/null 2>&1; then zsh -n "$prefix/share/zsh/site-functions/_headroom" || fail zsh; fi
if command -v fish >/dev/null 2>&1; then fish -n "$prefix/share/fish/vendor_completions.d/headroom.fish" || fail fish; fi
echo 'ok: program, manual, completions'

cmake -S "$prefix/share/doc/libheadroom-dev/examples/consumer" -B "$folder/consumer" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" >"$folder/consumer.log" 2>&1 &&
  cmake --build "$folder/consumer" >>"$folder/consumer.log" 2>&1 || fail "consumer: $(cat "$folder/consumer.log")"
status=0
"$folder/consumer/consumer" "$source/examples/broken/qwen3_8b_lora.yaml" >"$folder/found" || status=$?
[ $status -eq 1 ] && grep -q '^ignored lora/regather-without-sequence-parallel: ' "$folder/found" || fail "consumer: $(cat "$folder/found")"
"$folder/consumer/consumer" "$source/examples/qwen3_8b_lora.yaml" || fail 'consumer: a clean config'
echo 'ok: find_package(headroom)'

(cd "$build" && cpack -B "$folder/packages" >"$folder/cpack.log" 2>&1) || fail "cpack: $(cat "$folder/cpack.log")"
mkdir "$folder/unpacked"
tar -xzf "$folder"/packages/headroom-*-linux-*.tar.gz -C "$folder/unpacked" --strip-components=1
"$folder/unpacked/bin/headroom" check "$source/examples/qwen3_8b_lora.yaml" 2>/dev/null || fail 'the program of the archive'
[ ! -e "$folder/unpacked/include" ] || fail 'the archive of the program holds headers'
if command -v dpkg-deb >/dev/null 2>&1; then
  dpkg-deb -c "$folder"/packages/headroom_*.deb >"$folder/program.list"
  dpkg-deb -c "$folder"/packages/libheadroom-dev_*.deb >"$folder/development.list"
  grep -q ' ./usr/bin/headroom$' "$folder/program.list" || fail 'headroom.deb'
  grep -q '/libheadroom.a$' "$folder/development.list" || fail 'libheadroom-dev.deb'
  dpkg-deb -f "$folder"/packages/libheadroom-dev_*.deb Depends | grep -q libyaml-cpp-dev || fail Depends
  dpkg-deb -x "$folder"/packages/headroom_*.deb "$folder/deb"
  "$folder/deb/usr/bin/headroom" --version >/dev/null || fail 'the program of the package'
else
  echo 'skipped: no dpkg-deb here'
fi
echo 'ok: packages'
