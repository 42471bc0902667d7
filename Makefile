# Every target sets up .venv by itself; the second time that takes no time.
# Only relative paths in here: the folder's own path may contain spaces.

PYTHON ?= python3
VENV   := .venv
READY  := $(VENV)/.ready
BENCH  := .venv-bench
BENCH_READY := $(BENCH)/.ready

# Bytecode is kept, whatever the environment says: tests start many commands, and each would compile all that it imports.
export PYTHONDONTWRITEBYTECODE =

# Matrices here are small: threads of OpenBLAS wait for each other and for those of the other worker.
test test-all test-ci test-windows coverage: export OPENBLAS_NUM_THREADS = 1

.PHONY: demo docs test test-all test-ci validate coverage test-windows programs bench lint lint-js spelling clean help

demo: $(READY)
	@$(VENV)/bin/spacefmu demo

# Files in their own order: by their numbers of tests, those with one long test would come last, and one core would wait for the other.
test: programs lint
	@sh tests/twice.sh $(VENV)/bin/python -q -n auto --dist loadfile --no-loadscope-reorder --ignore=tests/windows -m "not slow and not ci" --durations=10

test-all: programs lint
	@sh tests/programs.sh "make test-all" "qemu-aarch64=qemu-user libc6-arm64-cross"
	@$(VENV)/bin/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder --ignore=tests/windows

# What continuous integration runs beside `make test`: the whole record of validation.
test-ci: $(READY)
	@sh tests/twice.sh $(VENV)/bin/python -q -n auto --ignore=tests/windows -m ci

# The record of validation: every case, its page and picture.
validate: $(READY)
	@$(VENV)/bin/spacefmu validate --page docs/record.md

# Branches and conditions of the C runtime that tests and fuzzers decide both ways: a table, and build/coverage.txt with what is open.
coverage: programs $(READY)
	@$(VENV)/bin/python -m tests.coverage

# Programs that pip can't install: tests of flexible bodies read files that CalculiX itself has written, views and reports are
# opened in a real browser, clang-19 makes fuzzers and counts branches, videos are encoded by ffmpeg, models as WebAssembly also run in node.
programs:
	@sh tests/programs.sh "make test" ccx=calculix-ccx chromium=chromium ffmpeg=ffmpeg node=nodejs clang-19=clang-19 llvm-cov-19=llvm-19

# The win64 libraries, run by Debian's wine.
test-windows: $(READY)
	@if ! ls tests/windows/test_*.py >/dev/null 2>&1; then \
		echo "tests/windows has no tests yet: nothing to run."; exit 0; \
	fi; \
	sh tests/programs.sh "make test-windows" wine=wine || exit 1; \
	sh tests/twice.sh $(VENV)/bin/python -q tests/windows

# Peers are in an environment of their own: nothing else needs them. WORKS="dynamics panels" runs some of the works.
bench: $(BENCH_READY)
	@$(BENCH)/bin/python -m bench $(WORKS)

$(BENCH_READY): pyproject.toml bench/requirements.txt
	@echo "Setting up $(BENCH) with Basilisk, MuJoCo and Pinocchio (some minutes, only once) ..."
	@$(PYTHON) -m venv $(BENCH)
	@$(BENCH)/bin/python -m pip install -qq --disable-pip-version-check --editable . --requirement bench/requirements.txt
	@touch $@

# mypy and import-linter see the package only as it is installed: spacefmu/ with the other folders inside, here by links.
LINT := build/lint
lint: $(READY)
	@$(VENV)/bin/ruff check --quiet .
	@$(VENV)/bin/ruff format --quiet --check . \
		|| { $(VENV)/bin/ruff format --check . ; echo "Run $(VENV)/bin/ruff format . to fix that." >&2; exit 1; }
	@rm -rf $(LINT) && mkdir -p $(LINT)/spacefmu && cd $(LINT)/spacefmu \
		&& ln -s ../../../spacefmu/*.py ../../../spacefmu/py.typed ../../../dynamics ../../../fmu_src .
	@cd $(LINT) && report=$$(PYTHONPATH=. ../../$(VENV)/bin/lint-imports --no-logo --config ../../pyproject.toml) || { echo "$$report"; exit 1; }
	@cd $(LINT) && report=$$(../../$(VENV)/bin/mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache) || { echo "$$report"; exit 1; }; \
		files=$$(find -L . -name '*.py' | wc -l); checked=$$(echo "$$report" | sed -n 's/.* \([0-9]*\) source files/\1/p'); \
		[ "$${checked:-0}" -ge "$$files" ] || { echo "mypy checked $${checked:-0} of $$files files: $$report" >&2; exit 1; }
	@$(VENV)/bin/python -m docs.words
	@if [ -x $(ESLINT) ]; then $(ESLINT) fmu_src; fi
	@if [ -d $(CODESPELL) ]; then $(SPELL); fi

# Spelling by codespell, which comes from PyPI, once; words that it does not know are in docs/spelling.txt. `make lint` runs it where it is installed.
CODESPELL := build/codespell
SPELL = PYTHONPATH=$(CODESPELL) $(VENV)/bin/python -m codespell_lib --ignore-words docs/spelling.txt --skip '*.csv,*.gfc,*.cof,*.json,*.glb,*.png,*.pyc' \
	README.md CONTRIBUTING.md STYLE.md CHANGELOG.md docs examples dynamics fmu_src spacefmu
spelling: $(READY)
	@[ -d $(CODESPELL) ] || $(VENV)/bin/python -m pip install -qq --disable-pip-version-check --target $(CODESPELL) codespell==2.4.3
	@$(SPELL)

# The scripts of views and reports by ESLint, which comes from npm, once; `make lint` runs it, too, where it is installed.
ESLINT := build/eslint/node_modules/.bin/eslint
lint-js: $(ESLINT)
	@$(ESLINT) fmu_src
$(ESLINT):
	@command -v npm >/dev/null || { echo "make lint-js needs npm (on Debian: apt-get install npm)." >&2; exit 1; }
	@npm install --silent --no-audit --no-fund --no-package-lock --prefix build/eslint eslint@10.15.0

# Pages open from the disk, and the search works there. SPACEFMU_DOCS_LIVE="AttitudeSlew" make docs compiles that live page alone;
# all of them take a minute or two the first time.
docs: $(READY)
	@NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict --quiet
	@echo "build/docs/index.html"

help:
	@echo "make demo          builds three FMUs, co-simulates a slew; results, picture and report in build/demo/"
	@echo "make test          checks style, layers and types, runs the tests; installs CalculiX, chromium and ffmpeg as root, or says how"
	@echo "make docs          builds the documentation site in build/docs/"
	@echo "make test-all      the same with the slow tests"
	@echo "make test-ci       runs what is marked ci: the whole record of validation"
	@echo "make coverage      branches and conditions (MC/DC) of the C runtime, by our tests and fuzzers"
	@echo "make validate      reruns the record of validation, writes docs/record.md"
	@echo "make test-windows  runs the Windows libraries under wine"
	@echo "make bench         measures speed beside Basilisk, MuJoCo and Pinocchio; results in build/bench/, page docs/benchmarks.md"
	@echo "make lint          style, layers, types and the word list of STYLE.md only"
	@echo "make lint-js       ESLint on the scripts of views and reports; needs npm"
	@echo "make spelling      codespell on pages, messages and comments; installs it from PyPI into build/"
	@echo "make clean         removes all that the others made, .venv too"
	@echo "make PYTHON=python3.12 ...  takes another Python (3.11 or newer)"

clean:
	@rm -rf $(VENV) $(BENCH) dist .pytest_cache .ruff_cache .import_linter_cache .mypy_cache .hypothesis *.egg-info
	@find build -mindepth 1 ! -name README.md -delete
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml setup.py constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "spacefmu needs Python 3.11 or newer; $(PYTHON) --version says: $$($(PYTHON) --version 2>&1 || true)." \
			"Name another one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) has no venv module: install it (on Debian: apt-get install python3-venv) and try again." >&2; exit 1; }
	@echo "Setting up $(VENV) (a minute or two, only once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable ".[test]"
	@touch $@
