# From a bare checkout: needs Python 3.10-3.13 (`make PYTHON=python3.12 ...` picks one) and Node (pyright, editor tests).
# Everything made here lives in .venv and .cache; a stamp named after pyproject.toml and the Python says what is installed.

PYTHON ?= python3
LIGER := 0.8.5
CONCH := 1.3
# What is tested under every Triton: all that speaks to an agent in another interpreter.
VERSIONED := tests/agent tests/analysis/dataflow/test_operations.py tests/analysis/lowering/test_lowering_printed.py tests/corpus/test_corpus.py

BIN := .venv/bin
CACHE := .cache
KEY := $(shell { $(PYTHON) -VV; cat pyproject.toml; } | cksum | cut -d' ' -f1)
VENV := .venv/.made-$(KEY)
USER := .venv/.user-$(KEY)
DEV := .venv/.dev-$(KEY)
DEMO := $(CACHE)/liger-kernel-$(LIGER)
CORPUS := $(DEMO) $(CACHE)/conch-triton-kernels-$(CONCH)
PYVERSION := $(shell $(PYTHON) -c 'import platform; print(platform.python_version())')
TRITON_VERSIONS := 3.6.0 3.7.1 3.8.0 $(if $(filter 3.10.%,$(PYVERSION)),,3.9.0) # 3.9 has no wheel for Python 3.10
VERSIONS := $(TRITON_VERSIONS:%=$(CACHE)/triton-%-py$(PYVERSION)/.made)
PIP := -m pip install --quiet --disable-pip-version-check

# No look for a newer release (that needs the network), and never a Node of pyright's own.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.PHONY: demo test lint format test-python test-triton-versions test-editors test-gpu bench corpus nightly clean

demo: $(USER) $(DEMO)
	@echo; echo "== examples/"
	@$(BIN)/triton-ls check --format table examples || test $$? -eq 1
	@echo; echo "== liger-kernel $(LIGER)"
	@cd $(DEMO) && $(CURDIR)/$(BIN)/triton-ls check --format table liger_kernel || test $$? -eq 1

# The whole suite comes last, so that its closing line is the last line.
test: lint test-triton-versions test-python

lint: $(DEV)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(call need,node,Node)
	$(BIN)/pyright

format: $(DEV)
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

test-python: $(DEV)
	$(neovim)
	$(BIN)/python -m pytest

test-editors: $(DEV)
	$(neovim)
	$(BIN)/python -m pytest tests/editors

# The tests stay in .venv; the agent that they talk to runs in the interpreter that TRITON_LS_TEST_PYTHON names.
test-triton-versions: $(DEV) $(VERSIONS)
	@status=0; for version in $(TRITON_VERSIONS); do \
		echo; echo "== Triton $$version"; \
		TRITON_LS_TEST_PYTHON=$(CURDIR)/$(CACHE)/triton-$$version-py$(PYVERSION)/bin/python $(BIN)/python -m pytest -q $(VERSIONED) || status=1; \
	done; exit $$status

# Not part of `test`: it needs an NVIDIA GPU, and says so where there is none.
test-gpu: $(DEV)
	$(BIN)/python tests/gpu/check.py

bench: $(DEV)
	$(BIN)/python tests/bench/bench.py

# Other people's kernels: how many are analyzed, how much of them, and why not the rest.
corpus: $(DEV) $(CORPUS)
	$(BIN)/python tests/packages/measure.py $(CORPUS)

nightly: $(DEV)
	TRITON_LS_RANDOM_KERNELS=2000 $(BIN)/python -m pytest -m generated

clean:
	rm -rf .venv $(CACHE) .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -not -path './vscode-client/node_modules/*' -prune -exec rm -rf {} +

# Python and Node are enough for `make test`: neovim comes from the distribution where that can be had without asking.
define neovim
	@command -v nvim >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
		apt-get install -y -qq --no-install-recommends neovim >/dev/null; } || \
		echo "neovim is missing and can't be installed here: the tests in it are skipped, and say so" >&2
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

# The name of a directory is the package and its version.
$(CORPUS): | $(VENV)
	$(BIN)/python $(PIP) --no-deps --target $@.part $(shell echo $(notdir $@) | sed 's/-\([0-9.]*\)$$/==\1/')
	mv $@.part $@

$(CACHE)/triton-%-py$(PYVERSION)/.made:
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python $(PIP) triton==$*
	@touch $@
