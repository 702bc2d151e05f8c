#!/bin/bash
# Runs `make test`, or the command that is given, beside 16 processes that keep the cores busy:
# scripts/busy.sh pytest tests/tools/job/test_agree.py. They end with the command, whatever ends it.
set -u
[ $# -gt 0 ] || set -- make test
busy=()
end() {
  kill "${busy[@]}" "${command:-}" 2>/dev/null
  wait 2>/dev/null
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
for _ in {1..16}; do
  while kill -0 $$ 2>/dev/null; do :; done & # they end by themselves if this script is killed
  busy+=($!)
done
"$@" <&0 &
command=$!
wait "$command"
