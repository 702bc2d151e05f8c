#!/bin/bash
# Runs the Python tests from a fresh clone as on a machine that has Python and the package registries
# and nothing else: no font, browser, Node, `dot` or apt-get is to be found there.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$PWD
mkdir "$work/bin" "$work/fonts"
IFS=:
for folder in $PATH; do
  case $folder in "$here"/*) continue ;; esac
  for tool in "$folder"/*; do
    case ${tool##*/} in
      dot | node | nodejs | npm | npx | corepack | apt-get | chromium* | google-chrome* | fc-*) ;;
      *) ln -s "$tool" "$work/bin/" 2>/dev/null || true ;;
    esac
  done
done
echo "<fontconfig><dir>$work/fonts</dir></fontconfig>" >"$work/fonts.conf"
git clone --quiet . "$work/clone"
env -u MAKEFLAGS -u MAKELEVEL -u CHROMIUM -u VIRTUAL_ENV \
  PATH="$work/bin" FONTCONFIG_FILE="$work/fonts.conf" \
  make -C "$work/clone" test-python "PYTHON=${1:-python3}"
