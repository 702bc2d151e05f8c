#!/bin/sh
# Makes .venv with the Python named, where that is new enough.
set -eu
if ! "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "jaxviz needs Python 3.11 or newer, and '$1' is not: install one, or name it, as in \`make demo PYTHON=python3.12\`." >&2
  exit 1
fi
"$1" -m venv .venv
# From this version on, pip installs the groups in pyproject.toml.
.venv/bin/pip install --quiet --upgrade 'pip>=25.1'
