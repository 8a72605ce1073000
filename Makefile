# From a bare checkout: needs Python 3.10-3.13 (`make PYTHON=python3.12 ...` picks one) and Node with npm (pyright, the VS Code extension).
# Everything made here lives in .venv and .cache; a stamp named after pyproject.toml and the Python says what is installed.

PYTHON ?= python3
LIGER := 0.8.5
CONCH := 1.3
# What is tested under every Triton: all that speaks to an agent in another interpreter, and depends on its Triton. (What
# holds an agent without the gate are Python and the system, what no text can cost is our own limit, what an agent keeps,
# hands on or finds in other files it does by text, and each source of an attack is tried here, through `check`, whose
# agent a server has, too, with each effect and through `serve` there: `make nightly` tries all that with every Triton.)
ATTACKS := tests/attacks/test_attacks.py tests/attacks/test_reach.py tests/attacks/test_stages.py
LIMITS := tests/agent/test_hostile_text.py tests/agent/test_hostile_expressions.py tests/agent/sandbox/test_system.py tests/agent/sandbox/test_audit.py
BY_TEXT := tests/agent/test_cache.py tests/agent/test_cached_text.py tests/agent/test_elsewhere.py tests/agent/test_early.py tests/agent/test_wire.py
SERVED := not (by_serve or of_serve or is_served)
VERSIONED := -k "$(SERVED)" tests/agent $(patsubst %,--ignore %,$(LIMITS) $(BY_TEXT)) $(ATTACKS) tests/analysis/dataflow/test_operations.py tests/analysis/lowering/test_lowering_kinds.py tests/analysis/lowering/test_lowering_printed.py tests/analysis/lowering/test_lowering_same.py tests/corpus/test_corpus.py tests/enumerated/test_reader.py tests/enumerated/test_cases.py

# Tests run on every processor, a file of them at a time: what is made for a file is made once. (`-m alone`: what measures.)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BESIDE_EACH_OTHER := -n $(JOBS) --dist loadfile --no-loadscope-reorder

BIN := .venv/bin
CACHE := .cache
KEY := $(shell { $(PYTHON) -VV; cat pyproject.toml; } | cksum | cut -d' ' -f1)
VENV := .venv/.made-$(KEY)
USER := .venv/.user-$(KEY)
DEV := .venv/.dev-$(KEY)
DEMO := $(CACHE)/liger-kernel-$(LIGER)
CORPUS := $(DEMO) $(CACHE)/conch-triton-kernels-$(CONCH)
PYVERSION := $(shell $(PYTHON) -c 'import platform; print(platform.python_version())')
TRITON_VERSIONS := 3.6.0 3.7.1 3.8.0 # beside the newest, under which the whole suite runs
VERSIONS := $(TRITON_VERSIONS:%=$(CACHE)/triton-%-py$(PYVERSION)/.made)
BESIDE := $(CACHE)/beside-py$(PYVERSION)/.made
TWINE := $(CACHE)/twine-py$(PYVERSION)/.made
PIP := -m pip install --quiet --disable-pip-version-check

# The extension's tools need a newer Node than many machines have: one of its own, and an npm that fits it.
NODE_VERSION := 24.9.0
NODE := $(CACHE)/node-$(NODE_VERSION)/.made
NODE_PACKAGE = $(shell node -p '`node-$${process.platform}-$${process.arch}`')
NODE_BIN = $(CURDIR)/$(dir $(NODE))node_modules/.bin:$(CURDIR)/$(dir $(NODE))node_modules/$(NODE_PACKAGE)/bin
with_node = cd vscode-client && PATH="$(NODE_BIN):$$PATH"
CLIENT := vscode-client/node_modules/.made
VSIX := vscode-client/triton-kernels.vsix
CODE_SERVER := $(CACHE)/code-server-4.139.1/.made

# No look for a newer release (that needs the network), and never a Node of pyright's own.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

# Tests start thousands of processes: what each of them imports is compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint lint-python lint-vscode format test-python test-triton-versions test-faults test-editors test-vscode screenshots vsix test-gpu bench beside corpus nightly clean corpus-truth release

demo: $(USER) $(DEMO)
	@echo; echo "== examples/"
	@$(BIN)/triton-ls check --format table examples || test $$? -eq 1
	@echo; echo "== liger-kernel $(LIGER)"
	@cd $(DEMO) && $(CURDIR)/$(BIN)/triton-ls check --format table liger_kernel || test $$? -eq 1

# The whole suite comes last, so that its closing line is the last line. An editor's tests wait most of the time, a type
# checker takes one processor: beside each other.
test:
	$(MAKE) --jobs 2 --output-sync=target lint test-vscode
	$(MAKE) test-triton-versions
	$(MAKE) test-python

lint: lint-python lint-vscode

lint-python: $(DEV)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(call need,node,Node)
	$(BIN)/pyright

lint-vscode: $(CLIENT)
	$(with_node) npm run --silent lint

format: $(DEV) $(CLIENT)
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
	$(with_node) npm run --silent format

test-python: $(DEV)
	$(editors)
	$(BIN)/python -m pytest -q -m alone $$(grep -rl 'mark\.alone' tests --include='test_*.py')
	$(BIN)/python -m pytest $(BESIDE_EACH_OTHER) -m "not alone"

test-editors: $(DEV)
	$(editors)
	$(BIN)/python -m pytest tests/editors

# The extension with the server and all that it needs in it.
vsix: $(VENV) $(CLIENT)
	$(BIN)/python vscode-client/scripts/bundle.py
	$(with_node) npm run --silent package

# What is about to be published, tried as a stranger gets it (docs/release.md). Publishes nothing.
release: vsix $(DEV) $(TWINE)
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	$(dir $(TWINE))bin/python -m twine check --strict dist/*
	$(with_node) npx --no-install vsce ls --no-dependencies >$(CURDIR)/$(CACHE)/vsix.txt
	$(BIN)/python tests/release/check.py dist $(VSIX) $(CACHE)/vsix.txt

# A real VS Code in a real browser, with kernels of other people.
test-vscode: vsix $(DEV) $(DEMO)
	$(with_node) npm run --silent unit
	$(chromium)
	@if ! command -v chromium >/dev/null; then \
		echo "chromium is missing and can't be installed here: the tests in VS Code are skipped" >&2; \
	else \
		rm -rf $(CACHE)/screenshots && $(MAKE) --no-print-directory $(CODE_SERVER) && $(with_node) npm run --silent e2e; \
	fi

# What the tests saw becomes what the READMEs show.
screenshots: test-vscode
	$(BIN)/python vscode-client/scripts/shrink.py $(CACHE)/screenshots/*.png vscode-client/images

# The tests stay in .venv; the agent that they talk to runs in the interpreter that TRITON_LS_TEST_PYTHON names.
test-triton-versions: $(DEV) $(VERSIONS)
	@status=0; for version in $(TRITON_VERSIONS); do \
		echo; echo "== Triton $$version"; \
		TRITON_LS_TEST_PYTHON=$(CURDIR)/$(CACHE)/triton-$$version-py$(PYVERSION)/bin/python $(BIN)/python -m pytest -q $(BESIDE_EACH_OTHER) $(VERSIONED) || status=1; \
	done; exit $$status

# Not part of `test`: it needs an NVIDIA GPU, and says so where there is none.
test-gpu: $(DEV)
	$(BIN)/python tests/gpu/check.py

bench: $(DEV)
	$(BIN)/python tests/bench/bench.py

# How quick we are beside other servers, which get a place of their own.
beside: $(DEV) $(BESIDE)
	$(BIN)/python tests/bench/beside.py $(dir $(BESIDE))bin

# Other people's kernels: how many are analyzed, how much of them, why not the rest, and how fast.
corpus: $(DEV) $(CORPUS)
	$(BIN)/python tests/packages/measure.py $(CORPUS)
	$(BIN)/python tests/packages/speed.py $(CORPUS)

# What is guessed of their parameters, against what their own host code passes: imported here, and only here, on the CPU.
corpus-truth: $(DEV) $(CORPUS)
	$(BIN)/python tests/packages/truth.py $(CORPUS)

nightly: test-faults $(VERSIONS)
	TRITON_LS_RANDOM_KERNELS=2000 TRITON_LS_HOST_MODULES=20000 $(BIN)/python -m pytest -m generated
	TRITON_LS_SLOW=error TRITON_LS_PRODUCTS=all $(BIN)/python -m pytest
	TRITON_LS_ATTACKS=all $(BIN)/python -m pytest $(BESIDE_EACH_OTHER) tests/attacks
	TRITON_LS_ACCUSED=all $(BIN)/python -m pytest tests/analysis/attempt
	$(MAKE) --no-print-directory test-triton-versions VERSIONED="tests/attacks $(LIMITS) $(BY_TEXT)" TRITON_LS_ATTACKS=all

# 300 agents die while somebody types: the suite itself kills a dozen. And a hand types in 40 sessions.
test-faults: $(DEV) $(DEMO)
	TRITON_LS_KILLS=100 TRITON_LS_HANDS=40 $(BIN)/python -m pytest tests/faults

clean:
	rm -rf .venv $(CACHE) .pytest_cache .ruff_cache .hypothesis build dist
	rm -rf vscode-client/node_modules vscode-client/dist vscode-client/bundled $(VSIX)
	find . -name __pycache__ -type d -not -path './vscode-client/node_modules/*' -prune -exec rm -rf {} +

# Python and Node are enough for `make test`: neovim and emacs come from the distribution where that can be had without
# asking. Eglot is part of emacs from 29 on.
define editors
	@{ command -v nvim && command -v emacs; } >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
		apt-get install -y -qq --no-install-recommends neovim emacs-nox >/dev/null && \
		{ apt-get install -y -qq --no-install-recommends elpa-eglot >/dev/null 2>&1 || true; }; } || \
		echo "neovim or emacs is missing and can't be installed here: the tests in it are skipped, and say so" >&2
endef

# So does chromium, with a font, so that screenshots look alike everywhere.
define chromium
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; } || true
endef

need = @command -v $(1) >/dev/null || { echo "$(2) is missing: $(1) is not on PATH" >&2; exit 1; }

$(VENV):
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if (3, 10) <= v <= (3, 13) else f"Python 3.10-3.13 is needed, $(PYTHON) is {sys.version}")'
	$(PYTHON) -m venv --clear .venv
	@touch $@

$(USER): $(VENV)
	$(BIN)/python $(PIP) --editable .
	@touch $@

$(DEV): $(VENV)
	$(BIN)/python $(PIP) --editable '.[dev]'
	@touch $@ $(USER)

$(NODE):
	$(call need,npm,npm)
	mkdir -p $(@D)
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix $(@D) $(NODE_PACKAGE)@$(NODE_VERSION) npm@11
	@touch $@

$(CLIENT): $(NODE) vscode-client/package-lock.json
	$(with_node) npm ci --silent --no-audit --no-fund --ignore-scripts
	@touch $@

$(CODE_SERVER): $(NODE) vscode-client/e2e/install.sh
	rm -rf $(@D)
	$(with_node) e2e/install.sh $(CURDIR)/$(@D) $(CURDIR)/$(dir $(NODE))node_modules/$(NODE_PACKAGE)
	@touch $@

# The name of a directory is the package and its version.
$(CORPUS): | $(VENV)
	$(BIN)/python $(PIP) --no-deps --target $@.part $(shell echo $(notdir $@) | sed 's/-\([0-9.]*\)$$/==\1/')
	touch $@.part/pyproject.toml # a project of its own: what ours may set is not asked
	mv $@.part $@

$(BESIDE):
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python $(PIP) ruff ty basedpyright
	@touch $@

$(TWINE):
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python $(PIP) twine
	@touch $@

$(CACHE)/triton-%-py$(PYVERSION)/.made:
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python $(PIP) triton==$*
	@touch $@
