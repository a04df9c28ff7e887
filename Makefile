# Everything from a bare machine with python3, git and make. `make help` lists the goals.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RUNNABLE := $(VENV)/.runnable
JOBS ?= auto

.PHONY: dist notes release-check help run test lint house unit accuracy bench fuzz faults manual docs screenshots recording lock clean setup

help: ## list the goals
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY) ## make .venv with everything that work on Penstock needs

$(READY): requirements.lock.txt pyproject.toml
	@tools/setup "$(PYTHON)" "$(VENV)" requirements.lock.txt
	@touch $@ $(RUNNABLE)

$(RUNNABLE): requirements-run.lock.txt pyproject.toml
	@tools/setup "$(PYTHON)" "$(VENV)" requirements-run.lock.txt
	@touch $@

run: $(RUNNABLE) ## take the tour: real files in a temporary project, then the review page
	@$(BIN)/penstock demo

test: lint unit ## lint, types, layers, and every test with coverage

lint: $(READY) ## ruff, mypy --strict, the house with its import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/house.py

house: $(READY) ## modules per folder, contracts, names, code lines; fails where a limit is broken
	@$(BIN)/python tools/house.py

unit: $(READY) ## every test, with branch coverage of the core
	@tools/unit "$(BIN)" "$(JOBS)"

accuracy: $(READY) ## how often the presets are right about tests/corpus; ARGS="--corpus DIR --misses"
	@$(BIN)/python -m tests.accuracy $(ARGS)

bench: $(READY) ## every performance row, as a ratio to a baseline of the same run
	@$(BIN)/python -m bench

fuzz: $(READY) ## the fuzz targets, SECONDS_EACH=600 by default
	@$(BIN)/python -m tests.fuzz --seconds $${SECONDS_EACH:-600}

faults: $(READY) ## kill, fail and race every step of a write; goes on where it was stopped
	@$(BIN)/python -m tests.faults --progress .faults

screenshots: $(READY) ## make the pictures in the docs anew, with Debian's chromium
	@tools/browser
	@$(BIN)/python tools/screenshots.py

recording: $(READY) ## record the tour and the review page anew, as the README and the manual show them
	@tools/browser
	@$(BIN)/python tools/film.py docs/images/review.svg
	@$(BIN)/python tools/record.py docs/images/demo.svg --typed "penstock demo" \
	  --until "Your turn" -- $(BIN)/penstock demo

manual: $(READY) ## write the reference pages that come from the code
	@$(BIN)/python tools/manual.py

docs: ## build the manual as a site with search, strictly, into site/
	@tools/docs "$(PYTHON)" "$(VENV)-docs"

dist: $(READY) ## build the wheel and the sdist into dist/, the same bytes each time
	@$(BIN)/python tools/release_check.py build

notes: ## print the release notes, from CHANGELOG.md and changes/
	@$(PYTHON) tools/release_notes.py

release-check: ## build, check, install and try what would be published, into dist/
	@[ -x "$(VENV)-release/bin/python" ] || "$(PYTHON)" -m venv "$(VENV)-release"
	@tools/install "$(VENV)-release" requirements.release.txt
	@$(VENV)-release/bin/python tools/release_check.py

lock: $(READY) ## resolve the dependencies anew into the four locks
	@tools/lock "$(BIN)"

clean: ## remove what the other goals made
	rm -rf $(VENV) $(VENV)-docs $(VENV)-release dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.*
