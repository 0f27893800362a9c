# The commands of the project; `make` alone lists them. Every target sets up what it needs.
PYTHON ?= python3
JOBS ?= 2
CASES ?= 5
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
TEST_STAMP := $(VENV)/.ready-for-tests
.DEFAULT_GOAL := help
.PHONY: help run test check gen bench clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed -E 's/:.*## /\t/' | expand -t 10

$(STAMP): pyproject.toml .ci/setup.py
	@$(PYTHON) .ci/setup.py $(VENV)
	@touch $@

# One release of torch, so that every run tests the same; a range could bring gigabytes of another build.
$(TEST_STAMP): $(STAMP) pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs,torch]'
	@touch $@

run: $(STAMP) ## from a fresh clone to the main job done: build, verify every variant on the simulator, print a table
	$(BIN)/fiagen build
	$(BIN)/fiagen verify --cases $(CASES) --seed 7 -j $(JOBS)
	$(BIN)/fiagen run specs/calls/models.yaml -j $(JOBS)

test: $(STAMP) $(TEST_STAMP) ## the whole test suite
	$(BIN)/python -m pytest -n $(JOBS) tests

check: $(STAMP) ## lint, types, unit, render and drift: under a minute, before every commit
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) -m 'not slow' tests/unit tests/bad tests/render tests/drift tests/meta
	$(BIN)/fiagen build --check

gen: $(STAMP) ## bring generated/ up to date with specs/ and templates/
	$(BIN)/fiagen build

bench: $(STAMP) ## rates of generation, simulation and kernels, as ratios
	$(BIN)/python -m pytest -s tests/bench

clean: ## remove the environment and everything built
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis
