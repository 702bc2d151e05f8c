# `make demo` and `make test` set up all they need; .setup/ marks the finished parts.
PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(CURDIR)/node_modules/.bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

SOURCES := $(shell find js/src js/style -type f) $(wildcard jaxviz/lessons/*/*.ipynb) js/build.mjs js/tsconfig.json package.json
# Neighbouring tests run in one process, so that it makes their shared fixtures once.
PYTEST := pytest -n auto --dist worksteal
LABEXTENSION := .venv/share/jupyter/labextensions/jupyterlab-jaxviz

.PHONY: help setup demo dev test test-all test-python test-oldest test-newest test-js test-browser test-site test-slow test-bare test-wheel reliability costs first-sight newest check quick release \
  format bench bench-quick endurance gallery screenshots docs wheel clean
help:
	@echo 'make demo         JupyterLab with the tour, the first of the lessons'
	@echo 'make test         pytest on three versions of JAX, vitest and the browser tests'
	@echo 'make test-all     make test, slow tests, Python tests on a bare machine, and a lesson from the wheel'
	@echo 'make check        formatters, linters, types, layers'
	@echo 'make quick        the same for changed files'
	@echo 'make dev          JupyterLab, rebuilt after each saved file'
	@echo 'make format       run the formatters'
	@echo 'make bench        times, beside libraries and peers: docs/benchmarks.md'
	@echo 'make bench-quick  which ratios became worse (two minutes)'
	@echo 'make endurance    before a release: what grows during long use'
	@echo 'make gallery      capture the gallery of the site: gallery/records'
	@echo 'make screenshots  browser tests that renew ui-tests/screenshots'
	@echo 'make docs         the site with executed lessons: .site/html'
	@echo 'make test-site    the same, and tests of its pages in a browser'
	@echo 'make costs        docs/costs.md: our flops and bytes beside those of XLA'
	@echo 'make first-sight  docs/first-sight.md: what is in view at first'
	@echo 'make reliability  docs/reliability.md: reports compared with the truth'
	@echo 'make newest       write tests/constraints/newest.txt: the newest JAX that pip finds'
	@echo 'make wheel        the sdist, and the wheel made from it, in dist/'
	@echo 'make release      VERSION=0.2.0: write this version everywhere (steps in scripts/release.py)'
	@echo 'make clean        remove everything that make made, with environments'

demo: .setup/bundles
	jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) jaxviz/lessons/en/0_see_what_jax_sees.ipynb

# Everything for checks, tests and the site. Each part keeps one core busy: `make --jobs 2 setup`.
setup: .setup/bundles .setup/docs .setup/oldest .setup/newest .setup/servers .setup/ui-tests .setup/browser .setup/dot

# The watchers leave development bundles, so other targets build theirs again.
dev: .setup/bundles
	@rm .setup/bundles
	concurrently -k -n build,lab "npm run watch" \
	  "jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) jaxviz/lessons/en/0_see_what_jax_sees.ipynb"

test: test-python test-oldest test-newest test-js test-browser

test-all: export TEST_ALL := 1
test-all: test test-slow test-bare test-wheel

test-python: .setup/bundles .setup/dot
	$(PYTEST)

test-oldest test-newest: test-%: .setup/% .setup/bundles .setup/dot
	@cat $<
	PATH="$(CURDIR)/.venv-$*/bin:$$PATH" $(PYTEST)

# Tests marked slow, on each JAX. Exit status 5 (nothing collected) is no failure.
test-slow: .setup/bundles .setup/dot .setup/oldest .setup/newest
	$(PYTEST) --slow
	for jax in oldest newest; do \
	  cat .setup/$$jax; \
	  PATH="$(CURDIR)/.venv-$$jax/bin:$$PATH" $(PYTEST) --slow || [ $$? = 5 ]; \
	done

# docs/reliability.md: reports on traces, errors, groups and links, compared with the truth, on each JAX.
# The page counts faults. Only a failure to count ends the target.
reliability: .setup/bundles .setup/oldest .setup/newest
	for jax in '' -oldest -newest; do \
	  .venv$$jax/bin/python -m tests.truth.retraces --quiet --save .setup/reliability$$jax.json; \
	  .venv$$jax/bin/python -m tests.truth.libraries --save .setup/names$$jax.json; \
	  .venv$$jax/bin/python -m tests.truth.links.score --save .setup/links$$jax.json; \
	  .venv$$jax/bin/python -m tests.truth.errors.score --save .setup/cards$$jax.json; \
	done
	python -m tests.truth.retraces --report .setup/reliability*.json .setup/names*.json .setup/links*.json .setup/cards*.json

# docs/costs.md: our costs beside those of XLA.
costs: .setup/bundles
	.venv/bin/python tests/costs_table.py

test-bare:
	scripts/bare.sh $(PYTHON)

test-js: .setup/npm
	npm test

test-browser: .setup/bundles .setup/ui-tests .setup/browser .setup/servers
	CHROMIUM="$$(cat .setup/browser)" npm --prefix ui-tests test

newest: .setup/venv
	python scripts/jax_environment.py renew

screenshots: export SCREENSHOTS := screenshots
screenshots: export TEST_ALL := 1
screenshots: test-browser

check: .setup/python .setup/npm .setup/ui-tests
	ruff format --check .
	ruff check .
	pyright
	vulture
	lint-imports
	python scripts/schema.py --check
	python scripts/ops.py --check
	python scripts/sentences.py --check
	python scripts/formats.py --check
	python scripts/proto.py --check
	python scripts/rules.py
	python scripts/release.py --check
	node scripts/functions.mjs
	node scripts/language.mjs --check
	node scripts/colours.mjs --check
	biome check .
	knip
	npm run types
	tsc -p ui-tests
	zizmor --quiet --offline .
	check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

CHANGED = $(shell git diff --name-only --diff-filter=d HEAD; git ls-files --others --exclude-standard)
CHANGED_PYTHON = $(filter %.py,$(CHANGED))
CHANGED_PAGE = $(filter js/%.ts js/%.tsx js/%.css ui-tests/%.ts,$(CHANGED))
quick: .setup/python .setup/npm
	$(if $(CHANGED_PYTHON),ruff format --check $(CHANGED_PYTHON) && ruff check $(CHANGED_PYTHON))
	$(if $(CHANGED_PYTHON),pyright $(CHANGED_PYTHON) && lint-imports)
	$(if $(CHANGED_PAGE),biome check $(CHANGED_PAGE) && npm run --silent types && node scripts/functions.mjs)
	python scripts/rules.py

format: .setup/python .setup/npm
	ruff format .
	ruff check --fix .
	npm run format

# Takes about ten minutes. Peers have their own environments, because one of them has our import name.
bench: .setup/bundles .setup/bench .setup/peers .setup/browser
	CHROMIUM="$$(cat .setup/browser)" python bench/bench.py
	python bench/memory.py

# What grows during long use, with jaxviz and without; takes up to 45 minutes.
endurance: .setup/bundles .setup/bench .setup/browser
	CHROMIUM="$$(cat .setup/browser)" python bench/endurance.py

# Ratios of small programs beside those in bench/ratios.json, which `bench.py --keep` writes.
bench-quick: .setup/bundles .setup/bench
	python bench/bench.py --quick

# The records that the site draws; programs and texts are in gallery/.
gallery: .setup/gallery
	.venv/bin/python gallery/capture.py

# docs/first-sight.md: what is in view at first, for each program at three widths.
first-sight: .setup/gallery
	python gallery/first_sight.py .gallery/first-sight
	node gallery/first-sight.mjs .gallery/first-sight docs/first-sight

docs: .setup/docs
	.venv-docs/bin/python scripts/docs.py

# Tests of the built site in a browser.
test-site: docs .setup/ui-tests .setup/browser
	cd ui-tests && CHROMIUM="$$(cat ../.setup/browser)" npx playwright test --config site.config.ts

release: .setup/venv
	python scripts/release.py $(VERSION)

wheel: .setup/bundles
	rm -rf dist
	python -m build --installer pip

# Installs the wheel with pip, and goes through lesson 1 to its last exercise.
test-wheel: wheel .setup/ui-tests .setup/browser
	rm -rf .servers/wheel
	python -m venv .servers/wheel
	.servers/wheel/bin/pip install --quiet dist/*.whl jupyterlab
	PATH="$(CURDIR)/.servers/wheel/bin:$$PATH" CHROMIUM="$$(cat .setup/browser)" npm --prefix ui-tests test -- lesson.spec.ts

clean:
	rm -rf .setup .servers .site .venv .venv-docs .venv-oldest .venv-newest node_modules ui-tests/node_modules
	rm -rf ui-tests/test-results
	rm -rf js/lib jaxviz/static jaxviz/labextension dist
	rm -rf .bench .gallery .venv-peer-jaxviz .venv-peer-explorer bench/node_modules

.setup/venv: scripts/python.sh
	@mkdir -p .setup
	@scripts/python.sh $(PYTHON)
	@touch $@

# hatch needs the bundles' folder; the bundles are made below. JupyterLab reads the extension from this
# tree through a link, so a new bundle needs only a reload. pip would write through the link, so it goes first.
.setup/python: .setup/venv pyproject.toml tests/constraints/pinned.txt
	mkdir -p jaxviz/labextension
	rm -rf $(LABEXTENSION) jaxviz/labextension/install.json
	SKIP_JUPYTER_BUILDER=1 pip install --quiet --constraint tests/constraints/pinned.txt \
	  --editable '.[demo]' --group test --group libraries --group dev
	rm -rf $(LABEXTENSION)
	ln -s $(CURDIR)/jaxviz/labextension $(LABEXTENSION)
	@touch $@

# Each file says which JAX the environment has, on which Python. pip reads the folder of the bundles.
.setup/oldest .setup/newest: .setup/%: .setup/python tests/constraints/%.txt scripts/jax_environment.py | .setup/bundles
	mkdir -p jaxviz/labextension
	python scripts/jax_environment.py $* > $@.part
	@mv $@.part $@

# The site's tools, and a kernel for the lessons.
.setup/docs: .setup/venv .setup/bundles pyproject.toml tests/constraints/pinned.txt
	python -m venv .venv-docs
	.venv-docs/bin/pip install --quiet --upgrade 'pip>=25.1'
	SKIP_JUPYTER_BUILDER=1 .venv-docs/bin/pip install --quiet --constraint tests/constraints/pinned.txt \
	  --editable . --group docs
	@touch $@

.setup/dot: .setup/node scripts/dot.sh
	@scripts/dot.sh
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

# Jupyter servers in an environment without jaxviz, as most users have them. Packages that such a server may
# also have are in folders of their own, and kernels run elsewhere. ipyparallel is apart, because it adds a page.
.setup/servers: .setup/venv | .setup/bundles
	rm -rf .servers
	python -m venv .servers/lab
	.servers/lab/bin/pip install --quiet 'jupyterlab>=4.4,<5' 'notebook>=7.4,<8'
	.servers/lab/bin/pip install --quiet --no-deps --prefix .servers/ipywidgets jupyterlab_widgets
	.servers/lab/bin/pip install --quiet --no-deps --prefix .servers/anywidget jupyterlab_widgets anywidget
	.servers/lab/bin/pip install --quiet --no-deps --target .servers/ipyparallel 'ipyparallel>=9,<10' decorator tqdm
	mkdir -p .servers/ours/share/jupyter/labextensions
	ln -s $(CURDIR)/jaxviz/labextension .servers/ours/share/jupyter/labextensions/jupyterlab-jaxviz
	python -m ipykernel install --prefix .servers/kernels --name python3
	.servers/lab/bin/python -m ipykernel install --prefix .servers/kernels --name bare \
	  --display-name Bare --env PYTHONPATH ''
	@touch $@

.setup/bench: .setup/ui-tests bench/package-lock.json bench/requirements.txt
	npm --prefix bench ci
	pip install --quiet -r bench/requirements.txt
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
