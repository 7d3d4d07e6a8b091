# `make` alone lists the targets. Everything works in .venv, .jars and lakehouse/, which `make clean` removes.
PYTHON ?= python3.11
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup run test test-all test-long test-quick test-ingestion test-pipeline test-histories test-readme test-crashes test-sources test-reconcile test-cluster mutants lint format bench clean

help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: .venv/ready  ## make the virtual environment, fetch pinned packages and Spark's jars

.venv/ready: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the pinned Python packages (about a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m ingestion.jars
	@touch .venv/ready

run: setup  ## load the feeds, build and test all tables, report
	@$(BIN)/python -m ingestion run

lint: setup  ## check SQL as written, SQL as compiled, and Python
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet .
	@$(BIN)/sqlfluff lint --disable-progress-bar models tests
	@$(BIN)/python -m tests.lint_compiled_sql

# The longest first, so that none is left alone at the end.
KINDS := test-pipeline test-histories test-crashes test-readme test-quick test-ingestion lint
WITH_DATABASES := test-sources test-reconcile

test: setup  ## lint, and every test: formats, types, ingestion with a real Kafka, end to end, the README's commands
	@echo "Six kinds of tests and the linters run, two at a time (35 to 60 minutes on two cores); each prints what it did when it is through."
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target $(KINDS)

test-all: setup  ## `make test` and the tests that start databases, as CI runs them
	@tests/sources/install_databases.sh
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target $(WITH_DATABASES) $(KINDS)

# One process each: a process has one Spark session, and these want different ones.
test-ingestion: setup
	@$(BIN)/python -m pytest --quiet tests/ingestion

# Made-up histories, which take the longest, beside everything else of the pipeline.
HISTORIES := $(addprefix tests/pipeline/,test_combinations.py test_epochs.py test_properties.py)
test-histories: setup
	@$(BIN)/python -m pytest --quiet $(HISTORIES)

test-pipeline: setup
	@$(BIN)/python -m pytest --quiet tests/pipeline $(addprefix --ignore=,$(HISTORIES))

test-crashes: setup
	@$(BIN)/python -m pytest --quiet tests/crashes

test-readme: setup
	@$(BIN)/python -m pytest --quiet tests/readme

test-reconcile: setup  ## `reconcile` on a PostgreSQL and a MariaDB that it starts
	@tests/sources/install_databases.sh
	@$(BIN)/python -m pytest --quiet tests/reconcile

test-cluster: setup  ## the target `cluster`, on a Spark Thrift server that it starts; not part of `make test`
	@$(BIN)/python -m pytest --quiet tests/cluster

test-sources: setup  ## real databases, Debezium, Canal and Maxwell: gold equals the source; installs Debian's packages if need be
	@tests/sources/install_databases.sh
	@$(BIN)/python -m pytest --quiet tests/sources

test-quick: setup  ## the tests that take seconds
	@$(BIN)/python -m pytest --quiet tests/formats tests/types tests/mutants

test-long: setup  ## more damage, histories, killed runs and transactions than CI has time for, others in each run
	@FUZZ_SEED=$$(date +%s) FUZZ_RECORDS=3000 $(BIN)/python -m pytest --quiet tests/formats/test_fuzz.py
	@CASES_SEED=$$(date +%s) CASES=2000 $(BIN)/python -m pytest --quiet tests/pipeline/test_properties.py
	@CASES_SEED=$$(date +%s) KILLS=20 $(BIN)/python -m pytest --quiet tests/pipeline/test_repair.py -k random
	@SOURCES_SEED=$$(date +%s) SOURCES_TRANSACTIONS=400 $(MAKE) --no-print-directory test-sources

# MUTANTS="--tests fast gold:" for those of gold, with the tests of `make test`
mutants: setup  ## plant faults in a copy, one at a time, and say which test sees each: for a night
	@$(BIN)/python -m tests.mutants $(MUTANTS)

format: setup  ## let ruff put the Python in order
	@$(BIN)/ruff check --quiet --fix . && $(BIN)/ruff format --quiet .

bench: setup  ## measure, as ratios
	@$(BIN)/python benchmarks/loader.py
	@$(BIN)/python benchmarks/formats.py
	@$(BIN)/python benchmarks/pipeline.py full
	@$(BIN)/python benchmarks/pipeline.py full --scale 5 --rounds 2
	@$(BIN)/python benchmarks/pipeline.py batch
	@$(BIN)/python benchmarks/pipeline.py tables --rounds 6
	@$(BIN)/python benchmarks/pipeline.py threads
	@$(BIN)/python benchmarks/pipeline.py files
	@$(BIN)/python benchmarks/pipeline.py marks

clean:  ## remove everything that setup and runs made
	@rm -rf .venv .jars lakehouse target logs dbt_packages *.egg-info .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
