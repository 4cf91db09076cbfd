# The front door. `make` alone lists what there is; report/system.py brings what a machine lacks.
#
# A build with nothing to do starts one process: the environment is looked at only when its stamp
# in .venv is older than the pinned requirements. Written for GNU Make 3.81 and newer.

# Homebrew's libraries are not on the path where macOS looks by itself; other systems ignore this.
LIBRARIES := DYLD_FALLBACK_LIBRARY_PATH=/opt/homebrew/lib:/usr/local/lib:/usr/lib
PYTHON_IN := $(LIBRARIES) .venv/bin/python
REPORT    := $(PYTHON_IN) -m report

define newline


endef

# One run's wishes, e.g. `make report SEED=7 PAPER=letter SET='score_spread.trials=50000'`
quoted  = '$(subst ','\'',$(subst $(newline), ,$(1)))'
values  = $(if $(SEED),--seed $(call quoted,$(SEED))) \
          $(if $(SET),--set $(call quoted,$(SET))) \
          $(if $(JOBS),--jobs $(call quoted,$(JOBS)))
options = $(if $(filter-out 0,$(FRESH)),--fresh) $(values)
paper   = $(if $(PAPER),--paper $(call quoted,$(PAPER)))
since   = $(if $(SINCE),--since $(call quoted,$(SINCE)))
WISHES  = SEED SET PAPER FRESH JOBS SINCE PORT PYTHON
typed   = $(foreach name,$(.VARIABLES),$(if $(filter command line,$(origin $(name))),$(name)))
unknown = $(firstword $(filter-out $(WISHES),$(typed)))
$(if $(unknown),$(error there is no '$(unknown)' to wish for; there are $(WISHES)))

# The first Python here that is new enough, or PYTHON=... on the command line
PYTHON  := python3
PYTHONS := $(PYTHON) python3.14 python3.13 python3.12 python3.11
set_up   = @found() { for python in $(PYTHONS); do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return; \
	done; false; }; \
	found || { test "$$(id -u)" = 0 && $(apt_python) && found; } || { echo $(no_python) >&2; exit 2; }; \
	$(LIBRARIES) $$python -m report.system
apt_python = { apt-get -qq update && apt-get -qq --yes install python3-venv; } >/dev/null 2>&1
no_python  = 'report: this machine lacks Python 3.11 or newer; install it (Debian, Ubuntu:' \
	'`sudo apt-get install python3-venv`; Fedora: `sudo dnf install python3`; macOS:' \
	'`brew install python`), then type make again.'

.DEFAULT_GOAL := help
.PHONY: help report watch cards figures test check bench lint lock clean always
MAKEFLAGS += --no-builtin-rules

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z%\/.]+:.*## / {printf "make %-20s %s\n", $$1, $$2}' Makefile
	@echo
	@echo 'For one run: SEED=7  PAPER=letter  SET="section.key=value ..."  JOBS=2  FRESH=1  SINCE=old.pdf'

report: .venv/ready-report ## Build the HTML and the PDF into build/
	@$(REPORT) build $(options) $(paper) $(since)

cards: .venv/ready-report ## Add an Anki deck, an Obsidian note and citations to build/
	@$(REPORT) cards $(options) $(paper)

watch: .venv/ready-report ## Show the page in a browser, and build whatever you edit
	@$(REPORT) watch $(values) $(paper) $(if $(PORT),--port $(call quoted,$(PORT)))

figures: .venv/ready-report ## Compute and draw what is stale in figures/
	@$(REPORT) figures $(options)

figures/%.svg: .venv/ready-report always ## Compute and draw one figure, e.g. figures/score_spread.svg
	@$(REPORT) figures $* $(options)

test: .venv/ready-test ## Run the fast tests
	@$(PYTHON_IN) -m pytest -m 'not slow' -n $(or $(JOBS),auto) --maxprocesses 8

check: .venv/ready-test ## Run the style and type checks, a strict build, and the slow tests
	@$(PYTHON_IN) -m report.system check
	@$(MAKE) --no-print-directory lint
	@$(REPORT) build --strict
	@$(PYTHON_IN) -m pytest -m slow -n $(or $(JOBS),auto) --maxprocesses 4

bench: .venv/ready-report ## Print what the report costs here beside its budget (minutes)
	@$(PYTHON_IN) -m tests.bench

lint: .venv/ready-test ## Check style, spelling and types only
	@$(PYTHON_IN) -m ruff check .
	@$(PYTHON_IN) -m ruff format --check .
	@$(PYTHON_IN) -m codespell_lib
	@$(PYTHON_IN) -m mypy

lock: ## Pin the libraries of pyproject.toml anew (needs uv)
	@$(PIN) --group build pyproject.toml -o requirements.txt
	@$(PIN) --group pyproject.toml:test -c requirements.txt -o requirements-dev.txt

clean: ## Remove what was made, but neither .venv nor the committed figures
	@rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find report figures templates tests examples -name __pycache__ -type d -prune -exec rm -rf {} +

# Pins hold for every Python and system the project supports; the files name no host.
PIN := UV_CUSTOM_COMPILE_COMMAND='make lock' uv pip compile --quiet --universal --python-version 3.11 \
       --fork-strategy fewest --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links

.venv/ready-report: requirements.txt pyproject.toml .venv/bin/python
	$(set_up) report

.venv/ready-test: requirements-dev.txt .venv/ready-report
	$(set_up) test

# Where it is gone or points nowhere, the stamps above are made again.
.venv/bin/python: ;

# Whether a figure is stale is the generator's to say, not a date's.
always: ;

.PRECIOUS: figures/%.svg .venv/ready-report .venv/ready-test
