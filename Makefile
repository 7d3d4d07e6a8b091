# `make` alone lists the targets. Everything works in .venv, .jars and lakehouse/, which `make clean` removes.
PYTHON ?= python3.11
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup run test test-all test-quick test-format test-formats test-gold test-ingestion test-shop test-tables \
	test-histories test-loads test-crashes test-readme test-sources test-reconcile test-cluster test-long mutants lint new-format format bench clean

help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

setup: .venv/ready  ## make the virtual environment, fetch Spark's jars, the pinned packages and those of the tests

# What a run needs, and no tests.
.venv/run: pyproject.toml ingestion/spark/jars.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the pinned Python packages (about a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@$(BIN)/python -m ingestion.spark.jars
	@touch .venv/run

.venv/ready: pyproject.toml ingestion/spark/jars.toml | .venv/run
	@$(MAKE) --silent .venv/archive
	@echo "Installing what tests need ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch .venv/ready

run: .venv/run  ## load the feeds, build and test all tables, report
	@$(BIN)/python -m ingestion run
	@$(MAKE) --silent .venv/archive

# Once, after the first run that succeeds: it takes half a minute, and spares later starts some seconds.
.venv/archive: .venv/run
	@$(BIN)/python -m ingestion.spark.archive
	@touch .venv/archive

# The models of formats differ in nothing but the name, as tests/formats/test_names.py says: one stands for all.
WRITTEN_SQL := models/silver/*.sql models/silver/formats/canal_json_cloudcanal_changes.sql models/gold examples/shop/models tests
lint: setup  ## check SQL as written, SQL as compiled, and Python
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet .
	@$(BIN)/sqlfluff lint --disable-progress-bar --processes 2 $(WRITTEN_SQL)
	@$(BIN)/python -m tests.lint_compiled_sql

# With FAST=1 a kind leaves out the tests that are marked `long`, with REST=1 it has these alone; those marked `nightly` are in
# test-long.
CHOSEN := not nightly$(if $(FAST), and not long)$(if $(REST), and long)
PYTEST := $(BIN)/python -m pytest --quiet -m "$(CHOSEN)"

# The longest first, so that none is left alone at the end.
KINDS := test-shop test-tables test-readme test-ingestion test-formats lint
# With the minutes that each takes on two quiet cores. First what most changes are seen by; of the others one begins only if it
# should end by the minute LIMIT after `make` began, as CI ends what runs longer than 90.
FIRST_KINDS := test-tables:22 "test-shop FAST=1:9" "test-readme FAST=1:4" "test-ingestion FAST=1:4" "test-formats FAST=1:8" lint:3
MORE_KINDS := test-histories:12 test-sources:17 test-loads:10 "test-shop REST=1:16" test-reconcile:10 "test-ingestion REST=1:9" \
	test-crashes:7 "test-formats REST=1:7" "test-readme REST=1:4"
LIMIT := 70
BEGAN := $(shell date +%s)

test: setup  ## lint, and every promise once: formats, types, a real Kafka, end to end, the README's commands
	@echo "Five kinds of tests and the linters run, two at a time, in about a quarter of an hour on two cores."
	@FAST=1 $(BIN)/python -m tests.kinds $(KINDS)

test-all: setup  ## all but the nightly tests, with those that start databases, as CI runs it
	@tests/sources/install_databases.sh
	@echo "Ten kinds of tests and the linters run, two at a time, in about an hour on two cores."
	@echo "What would not end by minute $(LIMIT) is left out, and named at the end: make test-all LIMIT=1000 has it all."
	@$(BIN)/python -m tests.kinds $(FIRST_KINDS) --since $(BEGAN) --limit $(LIMIT) $(MORE_KINDS)

test-quick: setup  ## formats and types: what `make test` has of them
	@$(MAKE) --no-print-directory test-formats FAST=1

test-format: setup  ## all that tests one format: make test-format NAME=canal_json
	@test -n "$(NAME)" || { echo "Which format? make test-format NAME=canal_json" >&2; exit 2; }
	@$(BIN)/python -m pytest --quiet tests/formats tests/types --format "$(NAME)" -k "not generated"
	@$(BIN)/ruff check --quiet tests/formats/$(NAME) && $(BIN)/ruff format --check --quiet tests/formats/$(NAME)
	@$(BIN)/sqlfluff lint --disable-progress-bar models/silver/formats/$(NAME)_changes.sql
	@$(BIN)/python -m tests.lint_compiled_sql $(NAME)

# One process each: a process has one Spark session, and these want different ones.
test-formats: setup
	@$(PYTEST) tests/formats tests/types tests/mutants tests/house

test-ingestion: setup
	@$(PYTEST) tests/ingestion

# What asks for the shop, and beside it what does not: there each run has a third of the tables.
test-shop: setup
ifndef FAST
	@tests/support/install_browser.sh
endif
	@$(BIN)/python -m pytest --quiet -m "$(CHOSEN) and shop" tests/pipeline

# Made-up histories, and dbt's builds and full loads of one format after the other, each take as long as all other tables.
HISTORIES := $(addprefix tests/pipeline/,test_combinations.py test_epochs.py test_properties.py)
LOADS := $(addprefix tests/pipeline/,test_formats_build.py test_full_loads.py)
test-tables: setup
	@$(BIN)/python -m pytest --quiet -m "$(CHOSEN) and not shop" tests/pipeline $(addprefix --ignore=,$(HISTORIES) $(LOADS))

test-histories: setup
	@$(PYTEST) $(HISTORIES)

test-loads: setup
	@$(PYTEST) $(LOADS)

test-gold: setup  ## every rule of gold once, in tables that the cases share
	@$(BIN)/python -m pytest --quiet tests/pipeline/test_gold.py

test-crashes: setup
	@$(PYTEST) tests/crashes

test-readme: setup
	@$(PYTEST) tests/readme tests/package

test-reconcile: setup  ## `reconcile` on a PostgreSQL and a MariaDB that it starts
	@tests/sources/install_databases.sh
	@$(PYTEST) tests/reconcile

test-cluster: setup  ## the target `cluster`, on a Spark Thrift server that it starts; not part of `make test`
	@$(PYTEST) tests/cluster

test-sources: setup  ## real databases, Debezium, Canal and Maxwell: gold equals the source; installs Debian's packages if need be
	@tests/sources/install_databases.sh
	@$(PYTEST) tests/sources

test-long: setup  ## more damage, histories, killed runs and transactions than CI has time for, others in each run
	@$(BIN)/python -m pytest --quiet -m nightly tests/formats tests/types
	@CASES_SEED=$$(date +%s) KILLS=20 $(BIN)/python -m pytest --quiet tests/ingestion/test_following.py
	@FUZZ_SEED=$$(date +%s) FUZZ_RECORDS=3000 $(BIN)/python -m pytest --quiet tests/formats/test_fuzz.py
	@CASES_SEED=$$(date +%s) CASES=2000 $(BIN)/python -m pytest --quiet tests/pipeline/test_properties.py
	@CASES_SEED=$$(date +%s) KILLS=20 $(BIN)/python -m pytest --quiet tests/pipeline/test_repair.py -k random
	@tests/sources/install_databases.sh
	@SPOT_MINUTES=60 $(BIN)/python -m pytest --quiet -m nightly tests/sources/test_spot_checks.py
	@SOURCES_SEED=$$(date +%s) SOURCES_TRANSACTIONS=400 $(MAKE) --no-print-directory test-sources
	@SOURCES_POSTGRES=17 SOURCES_MARIADB=11.4 $(MAKE) --no-print-directory test-sources
	@SOURCES_POSTGRES=installed SOURCES_MARIADB=installed $(MAKE) --no-print-directory test-sources

# MUTANTS="--tests fast gold:" for those of gold, with the tests of `make test`
mutants: setup  ## plant faults in a copy, one at a time, and say which test sees each: for a night
	@$(BIN)/python -m tests.mutants $(MUTANTS)

new-format: setup  ## the files of a format that is read as another one: make new-format NAME=x LIKE=canal_json
	@$(BIN)/python -m tests.support.new_format "$(NAME)" "$(LIKE)"

format: setup  ## let ruff put the Python in order
	@$(BIN)/ruff check --quiet --fix . && $(BIN)/ruff format --quiet .

bench: setup  ## measure, as ratios
	@$(BIN)/python benchmarks/loader.py
	@$(BIN)/python benchmarks/loader.py --records 2000000
	@$(BIN)/python benchmarks/follow.py
	@$(BIN)/python benchmarks/formats.py
	@$(BIN)/python benchmarks/pipeline.py full
	@$(BIN)/python benchmarks/pipeline.py full --scale 5 --rounds 2
	@$(BIN)/python benchmarks/pipeline.py batch
	@$(BIN)/python benchmarks/pipeline.py checks
	@$(BIN)/python benchmarks/pipeline.py tables --rounds 6
	@$(BIN)/python benchmarks/pipeline.py threads
	@$(BIN)/python benchmarks/pipeline.py files
	@$(BIN)/python benchmarks/pipeline.py marks
	@LAKEHOUSE_DRIVER_MEMORY=4g $(BIN)/python benchmarks/pipeline.py large
	@$(BIN)/python benchmarks/peers.py

clean:  ## remove everything that setup and runs made
	@rm -rf .venv .jars benchmarks/.peers lakehouse target logs dbt_packages *.egg-info .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
