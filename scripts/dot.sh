#!/bin/sh
# Brings Graphviz's `dot` for the tests: one on PATH, one installed now, or, where neither can be, the
# same as WebAssembly from npm, which draws SVG alone.
set -eu
if command -v dot >/dev/null; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  { apt-get update -q && apt-get install -q -y --no-install-recommends graphviz; } >&2 || true
  if command -v dot >/dev/null; then exit 0; fi
fi
npm install --no-save --prefix .setup/graphviz @hpcc-js/wasm-graphviz-cli@1.11.2 >&2
cat >.venv/bin/dot <<END
#!/bin/sh
[ "\$*" = -Tsvg ] || { echo "this dot draws SVG alone" >&2; exit 1; }
exec node "$PWD/.setup/graphviz/node_modules/@hpcc-js/wasm-graphviz-cli/bin/index.js" -T svg "\$(cat)"
END
chmod +x .venv/bin/dot
