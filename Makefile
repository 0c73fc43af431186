# make demo    set up, then compare the methods on data that needs no download
# make test    set up, then run every test
# make check   formatting, lint, types, then the tests
# make bench   set up the peers beside, then race them: a table and a picture in experiments/speed
# make docs    the documentation, in build/docs
# make changelog   this version's section of CHANGELOG.md, from changes/
# make wheel   wheel and source archive, in dist
# make clean   remove the environment and what the commands made

comma := ,
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
RUN := $(VENV)/bin
BENCH := .venv-bench
PEERS := peers$(if $(shell command -v java),$(comma)java)
PIP := $(RUN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test check lint types bench docs changelog wheel clean

demo: $(VENV)/.runtime
	$(RUN)/shoal compare sklearn-breast-cancer digits sea:n=20000,seed=1 \
	  --methods single,voting,sgd,sgd-avg,sag,bayes \
	  --set feature_fraction=0.5 --trials 2 --seed 0 \
	  --json demo-results.json --html demo-report.html

test: $(VENV)/.dev
	$(RUN)/python -m pytest -n 2 --dist loadfile -q

check: lint types test

lint: $(VENV)/.dev
	$(RUN)/ruff format --check src tests benchmarks
	$(RUN)/ruff check src tests benchmarks

types: $(VENV)/.dev
	$(RUN)/mypy

bench: $(BENCH)/.peers
	$(BENCH)/bin/python -m benchmarks.bench

docs: $(VENV)/.docs
	$(RUN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "build/docs/index.html"

changelog: $(VENV)/bin/python
	$(RUN)/python changes/collect.py

wheel: $(VENV)/.dev
	$(RUN)/python -m build --outdir dist .

# Stamps: nothing is installed a second time until what is to be installed changes.
$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or later is needed: make PYTHON=..."'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.runtime

$(VENV)/.docs: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable '.[docs]'
	@touch $@ $(VENV)/.runtime

# The peers ask for other versions than the tests do, hence an environment of their own.
$(BENCH)/.peers: pyproject.toml constraints-peers.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-peers.txt \
	  --editable '.[$(PEERS)]'
	@touch $@

clean:
	rm -rf $(VENV) $(BENCH) build dist docs/made demo-report.html demo-results.json .mypy_cache .ruff_cache .pytest_cache .hypothesis
