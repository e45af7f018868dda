# Two commands do all the set-up on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
BIN    := .venv/bin
READY  := .venv/ready
# Tests wait for tmux, git and agents half of the time: four share two cores well.
WORKERS = $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 4); [ $$n -gt 4 ] && echo $$n || echo 4)

# What the tests need besides tmux; without them some tests are skipped, and where CI is set, a skipped test has failed.
PROGRAMS = gh openssl bash bubblewrap:bwrap groff nodejs:node
# Tests that open no app and start no program.
QUICK = tests/domain tests/drawing tests/presentation tests/board/test_needs.py tests/cli/test_parser.py

# Commands that tests start would compile all of Orange each time, and four workers all tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test thorough quick check compiled format pages man picture newcomer simulate simulate-real soak bench clean

run: $(READY)
	@$(BIN)/orange $(or $(ARGS),--all)

test: $(READY)
	@sh tools/programs.sh $(PROGRAMS) || [ -z "$$CI" ]
	@$(MAKE) --no-print-directory -j 2 check compiled
	@$(BIN)/pytest -q -n $(WORKERS) --dist worksteal $(ARGS)

# As `test`, but where a test kills something at its steps, at each of them and not at every third; and more examples.
thorough: export THOROUGH = 1
thorough: test

quick: $(READY)
	@$(BIN)/pytest -q -n $(WORKERS) $(QUICK) $(ARGS)

# mypy by itself: with --num-workers it gives up where the machine is too busy to start them at once.
check: $(READY)
	@$(BIN)/ruff format --check --quiet . || { echo "Run 'make format'."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports >/dev/null || $(BIN)/lint-imports
	@$(BIN)/python tools/unused.py

# Beside the checks, which have one core busy: else each of the workers would compile all tests by itself.
compiled: $(READY)
	@$(BIN)/pytest -q --collect-only >.venv/collected || { tail -n 20 .venv/collected; exit 1; }

format: $(READY)
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix . || true

# The generated parts of docs/, from the tables in the code.
pages: $(READY)
	@$(BIN)/python tools/pages.py

# Man pages from docs/, in build/man; a wheel installs them.
man: $(READY)
	@$(BIN)/python tools/man.py

# The moving picture of the README, filmed from the real demo.
picture: $(READY)
	@$(BIN)/python tools/picture.py

# Installs Orange from a wheel and from a git address, upgrades it, and does what the pages say. Takes a minute or two.
newcomer:
	@PYTHON="$(PYTHON)" sh tools/newcomer.sh

# Random worlds with faults at every system call. SEED=7 is one of them; BUGS=1 puts old bugs back and looks for them.
simulate: $(READY)
	@PYTHONHASHSEED=0 PYTHONPATH=tests $(BIN)/python -m simulation.$(if $(BUGS),bugs,run) $(if $(SEED),--seed $(SEED)) $(ARGS)

# The same with real git and real tmux, where kills hit commands and the gits they run.
simulate-real: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m simulation.real_run $(if $(SEED),--seed $(SEED)) $(ARGS)

# Ten runs of the tests in a row, two at a time; RUNS=4 are fewer. On two cores each takes some five minutes.
soak:
	@sh tools/soak.sh $(or $(RUNS),10)

bench: $(READY)
	@$(BIN)/python bench/run.py $(ARGS)

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build

$(READY): pyproject.toml tools/setup.sh tools/programs.sh
	@PYTHON="$(PYTHON)" sh tools/setup.sh
	@touch $(READY)
