PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: test check-code format hashes catalogue clean

## Set everything up on a fresh machine, check the code and run all tests.
test: check-code
	$(BIN)/pytest -q -n 2

check-code: $(VENV)/installed
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/basedpyright

format: $(VENV)/installed
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

## Add new environments to the file of hashes that guards reproducibility.
hashes: $(VENV)/installed
	$(BIN)/python tests/problem_hashes.py

## Write the pages of docs/catalogue anew.
catalogue: $(VENV)/installed
	$(BIN)/python docs/catalogue.py

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis build dist
