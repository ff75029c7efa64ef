# Every target sets up what it needs, ends non-zero when it fails, and says its verdict last.
.PHONY: demo test lint bench chaos texts format clean help
SHELL := /bin/bash
PYTHON := .venv/bin/python
ARTIFACTS := artifacts

help:
	@echo "make demo                    run the main job on a practice cluster on this computer"
	@echo "make test [ONLY=gui|remote|trainer|...]   run the tests"
	@echo "make lint                    format, lint, types, import contracts"
	@echo "make bench [ONLY=trainer|gui|...]         print the numbers that Clew keeps"
	@echo "make chaos [N=60] [SEED=1]   break things while real runs go on"
	@echo "make texts                   bring the window's translations up to date"
	@echo "make format                  let ruff format the code"

demo:
	@.ci/setup demo
	@mkdir -p $(ARTIFACTS)
	@.venv/bin/clew demo --png $(ARTIFACTS)/demo.png

test:
	@.ci/setup test
	@mkdir -p $(ARTIFACTS)
	@CLEW_ARTIFACTS=$(CURDIR)/$(ARTIFACTS) .ci/private-net .ci/suite $(PYTHON) \
		$(if $(ONLY),tests/$(ONLY),tests) $(ARGS)

lint:
	@.ci/setup test
	@.venv/bin/ruff format --check . && .venv/bin/ruff check . && .venv/bin/mypy \
		&& .venv/bin/lint-imports && echo "lint: passed" || { echo "lint: failed"; exit 1; }

bench:
	@.ci/setup test
	@.ci/private-net $(PYTHON) -m tests.bench $(ONLY)

chaos:
	@.ci/setup test
	@.ci/private-net $(PYTHON) -m tests.chaos --trials $(or $(N),6) --seed $(or $(SEED),1) $(ARGS)

texts:
	@.ci/setup test
	@QT_QPA_PLATFORM=offscreen $(PYTHON) -m tests.support.translations

format:
	@.ci/setup test
	@.venv/bin/ruff check --fix --select I . && .venv/bin/ruff format .

clean:
	rm -rf .venv $(ARTIFACTS) .pytest_cache .mypy_cache .ruff_cache .hypothesis
