# The front door. No logic and no staleness rules here: `catgen why` knows what would run again and why, make does not.
RUN ?= demo
RECIPE ?=
ARGS ?=
CATGEN := node pipeline/bin.mjs
STAGES := $(addprefix stage-,1 2 3 4 5 6)

.PHONY: help setup demo publish test check bench chaos notebooks record picture verify-trainers $(STAGES)

help:
	@echo "make demo      set up, then let agents work on the demo tasks in a sandbox, and run the whole pipeline, offline"
	@echo "make test      set up, then run every test"
	@echo "make check     lint, types and tests"
	@echo "make stage-N   RUN=name [RECIPE=file] [ARGS='--input PATH' or '--tasks PATH']: do what is missing of stage N"
	@echo "make publish   RUN=name REPO=org/name [ARGS='--dry-run']: the exported dataset to the Hugging Face Hub, private unless ARGS=--public"
	@echo "make bench     measure the hot paths beside what one would use instead"
	@echo "make chaos     kill -9, full disks, races, damage: nothing may be lost"
	@echo "make notebooks write notebooks/01-look.md and 02-thresholds.md anew from the recorded demo run"
	@echo "make record    record the demo run anew, after a change of its tasks (data/demo/recorded.jsonl)"
	@echo "make picture   redraw the README's picture from the demo run"
	@echo "make verify-trainers   read the demo dataset with datasets, DuckDB and the trainers themselves (Python, PyPI, 33 GB)"

# npm marks a finished install with this file; it is older than the lock file exactly when there is something to install.
node_modules/.package-lock.json: package.json package-lock.json
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (a < 20 || (a === 20 && b < 11)) { console.error("catgen needs Node 20.11 or newer, this is " + process.version); process.exit(1); }'
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

setup: node_modules/.package-lock.json

demo: setup
	$(CATGEN) run all --run demo --recipe data/demo/recipe.yaml --tasks data/demo/tasks
	@npx --no-install tsx data/demo/tour.ts

test: setup
	npx --no-install vitest run

check: setup
	npx --no-install biome check
	npx --no-install tsc
	npx --no-install vitest run

# A static pattern: a stray file named stage-2 must not make this "up to date".
$(STAGES): stage-%: setup
	$(CATGEN) run $* --run $(RUN) $(if $(RECIPE),--recipe $(RECIPE)) $(ARGS)

publish: setup
	$(CATGEN) publish --run $(RUN) $(if $(REPO),--repo $(REPO)) $(ARGS)

# Python is what ours is measured beside; without it (or its packages) that half is left out, and the benches say so.
bench: setup
	@bash test/bench/python/setup
	@failed=0; for file in test/bench/*.bench.ts; do echo; npx --no-install tsx $$file || failed=1; done; exit $$failed

# Kills, crashes, full disks, races and damage, at length; the short form is part of `make test`.
chaos: setup
	npx --no-install vitest run --config test/chaos/vitest.config.ts

# From the recorded demo run, since live runs print times: the same bytes on every machine, with or without a sandbox, Python or an endpoint.
notebooks: setup
	$(CATGEN) run 1-5 --run recorded --recipe data/demo/recipe.yaml --set condense.condenser=extractive --input data/demo/recorded.jsonl
	npx --no-install tsx notebooks/01-look.ts --run recorded --out notebooks
	npx --no-install tsx notebooks/02-thresholds.ts --run recorded --keep 0.35 --out notebooks

record: demo
	npx --no-install tsx data/demo/record.ts

picture: demo
	npx --no-install tsx data/demo/saw-tooth.ts

verify-trainers: setup
	bash test/trainers/run
	bash test/trainers/run engines trl axolotl ms-swift llamafactory automodel
