# `make demo` and `make test` set up all they need themselves; what is done is marked in .setup/.
PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(CURDIR)/node_modules/.bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

SOURCES := $(shell find js/src js/style -type f) $(wildcard demos/*.ipynb) js/build.mjs js/tsconfig.json package.json
# What depends on the version of JAX is tested on the oldest that is supported too.
OLDEST_JAX := 0.6.2
OLDEST_TESTS := $(patsubst %,tests/test_%.py,arguments capture capture_errors capture_golden \
  capture_source capture_text cells_watched clone compare compare_properties cost cost_reported \
  cost_totals display_logs harnesses hlo hlo_text later links listing live live_faults \
  live_outputs magics outline outline_programs outline_properties panel primitives program reasons \
  retraces_reasons stablehlo stablehlo_harnesses watch watch_cases watch_counts watch_devices \
  watch_hits watch_nesting watch_programs watch_properties watch_safety)
LABEXTENSION := .venv/share/jupyter/labextensions/jupyterlab-jaxviz

.PHONY: help demo dev test test-all test-python test-oldest test-js test-browser test-slow check format bench gallery \
  screenshots wheel clean
help:
	@echo 'make demo         JupyterLab on the demo notebook'
	@echo 'make test         pytest (on the oldest JAX too), vitest and the browser tests'
	@echo 'make test-all     make test, and the slow sweeps'
	@echo 'make check        formatters, linters, types, layers'
	@echo 'make dev          JupyterLab that follows every saved file'
	@echo 'make format       rewrite files as the formatters want them'
	@echo 'make bench        how long all takes, beside libraries and peers: docs/benchmarks.md'
	@echo 'make gallery      screenshots of many programs: docs/gallery'
	@echo 'make screenshots  the browser tests, which renew ui-tests/screenshots'
	@echo 'make wheel        the sdist, and the wheel made from it, in dist/'
	@echo 'make clean        remove all that was made, environments too'

demo: .setup/extension
	jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) demos/jaxviz.ipynb

# The watchers leave bundles for development behind: other targets make theirs anew.
dev: .setup/extension
	@rm .setup/bundles
	concurrently -k -n build,lab "npm run watch" \
	  "jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) demos/jaxviz.ipynb"

test: test-python test-oldest test-js test-browser

test-all: test test-slow

test-python: .setup/extension
	pytest -n auto

test-oldest: .setup/oldest
	.venv-oldest/bin/pytest -n auto $(OLDEST_TESTS)

# No test marked slow is not a failure (5: nothing was collected).
test-slow: .setup/extension
	pytest -n auto --slow || [ $$? = 5 ]

test-js: .setup/npm
	npm test

test-browser: .setup/extension .setup/ui-tests .setup/browser
	CHROMIUM="$$(cat .setup/browser)" npm --prefix ui-tests test

screenshots: export SCREENSHOTS := screenshots
screenshots: test-browser

check: .setup/python .setup/npm .setup/ui-tests
	ruff format --check .
	ruff check .
	pyright
	lint-imports
	python scripts/schema.py --check
	python scripts/formats.py --check
	python scripts/proto.py --check
	python scripts/rules.py
	node scripts/language.mjs --check
	biome check .
	npm run types
	tsc -p ui-tests

format: .setup/python .setup/npm
	ruff format .
	ruff check --fix .
	npm run format

# Takes about ten minutes; peers get environments of their own, as one has our import name.
bench: .setup/extension .setup/bench .setup/peers .setup/browser
	CHROMIUM="$$(cat .setup/browser)" python bench/bench.py

gallery: .setup/extension .setup/gallery .setup/browser
	python gallery/capture.py .gallery/wire
	CHROMIUM="$$(cat .setup/browser)" node gallery/shoot.mjs .gallery/wire .gallery/shots docs/gallery
	python gallery/index.py .gallery/wire docs/gallery

wheel: .setup/bundles
	python -m build --installer pip

clean:
	rm -rf .setup .venv .venv-oldest node_modules ui-tests/node_modules ui-tests/test-results
	rm -rf js/lib jaxviz/static jaxviz/labextension dist
	rm -rf .bench .gallery .venv-peer-jaxviz .venv-peer-explorer bench/node_modules

.setup/venv:
	@mkdir -p .setup
	@scripts/python.sh $(PYTHON)
	@touch $@

# The bundles are made below; hatch wants to see their folder.
.setup/python: .setup/venv pyproject.toml
	mkdir -p jaxviz/labextension
	SKIP_JUPYTER_BUILDER=1 pip install --quiet --editable '.[demo,test,dev]'
	@touch $@

.setup/oldest: .setup/venv pyproject.toml
	python -m venv .venv-oldest
	mkdir -p jaxviz/labextension
	SKIP_JUPYTER_BUILDER=1 .venv-oldest/bin/pip install --quiet --editable . \
	  jax==$(OLDEST_JAX) jaxlib==$(OLDEST_JAX) absl-py hypothesis ipykernel pytest pytest-xdist
	@touch $@

.setup/node: .setup/venv
	@scripts/node.sh
	@touch $@

.setup/npm: .setup/node package-lock.json
	npm ci
	@touch $@

.setup/ui-tests: .setup/node ui-tests/package-lock.json
	PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm --prefix ui-tests ci
	@touch $@

.setup/bundles: .setup/python .setup/npm $(SOURCES)
	npm run build
	@touch $@

# JupyterLab reads the extension from this tree, so a new bundle needs only a reload.
.setup/extension: .setup/python .setup/bundles
	rm -rf $(LABEXTENSION)
	ln -s $(CURDIR)/jaxviz/labextension $(LABEXTENSION)
	@touch $@

.setup/bench: .setup/ui-tests bench/package-lock.json
	npm --prefix bench ci
	@touch $@

.setup/peers: .setup/venv bench/peers/jaxviz014.txt bench/peers/explorer.txt
	python -m venv .venv-peer-jaxviz
	-.venv-peer-jaxviz/bin/pip install --quiet -r bench/peers/jaxviz014.txt
	python -m venv .venv-peer-explorer
	-.venv-peer-explorer/bin/pip install --quiet -r bench/peers/explorer.txt
	@touch $@

.setup/gallery: .setup/python .setup/ui-tests gallery/requirements.txt
	pip install --quiet -r gallery/requirements.txt
	@touch $@

.setup/browser: .setup/ui-tests
	@scripts/browser.sh > $@.part
	@mv $@.part $@
