#!/bin/sh
# Prints the path of a Chromium for the browser tests: $CHROMIUM, one on PATH, or one installed now.
set -eu
find_browser() {
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name"; then return; fi
  done
  return 1
}
if find_browser; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  { apt-get update -q && apt-get install -q -y --no-install-recommends chromium; } >&2 || true
  if find_browser; then exit 0; fi
fi
(cd ui-tests && npx playwright install chromium >&2)
cd ui-tests
node -p "require('@playwright/test').chromium.executablePath()"
