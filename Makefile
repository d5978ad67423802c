# Everything here needs the Go toolchain and nothing else; modules are fetched
# by it. GOFLAGS from outside are respected. RocksDB is compiled in where its library
# is installed. Tests of pages need a Chromium: `make test` installs both from
# Debian's packages if they are not there. The adapters of stores in Rust need cargo,
# and are left out where there is none.

GO ?= go
# Without the paths of this clone, what is compiled for one serves all.
export GOFLAGS := $(shell $(GO) env GOFLAGS) -trimpath
CARGO ?= $(shell command -v cargo || ls $(HOME)/.cargo/bin/cargo 2>/dev/null)
CARGO_JOBS ?= 2

# The bridge to RocksDB (engine/rocksdb) is written for version 7 of its C++ interface.
rocksdb_found = printf '\043include <rocksdb/version.h>\nstatic_assert(ROCKSDB_MAJOR == 7, "");int main() {}\n' | \
	$(CXX) -std=c++17 -x c++ - -x none -lrocksdb -o /dev/null 2>/dev/null
# Looked up when a recipe is run, not when this file is read: `make test` installs it.
tags = $(shell { $(rocksdb_found); } && echo -tags rocksdb)

.PHONY: demo build adapters adapters-if-cargo pictures test browser rocksdb long bench vet clean

# A short tour: the published study's curve, measured again in three minutes.
demo: build
	bin/getio demo

build:
	$(GO) build $(tags) -o bin/getio ./cmd/getio
	ln -f bin/getio bin/bench_pebble

# The adapters of stores in Rust. What they are built of is kept beside Go's own cache, so
# that it is compiled once for all clones.
CARGO_TARGET_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/getio-adapters
export CARGO_TARGET_DIR

adapters:
	@test -n "$(CARGO)" || { echo "adapters/ is in Rust, and there is no cargo here: install Rust 1.91 or newer"; exit 1; }
	CARGO="$(CARGO)" outside/adapters/lock.sh
	$(CARGO) build --manifest-path outside/adapters/Cargo.toml --release --locked -j $(CARGO_JOBS)
	$(CARGO) test --manifest-path outside/adapters/Cargo.toml --release --locked -j $(CARGO_JOBS) -p getio-adapter
	mkdir -p bin
	cp $(CARGO_TARGET_DIR)/release/getio-nomt $(CARGO_TARGET_DIR)/release/getio-firewood bin/

adapters-if-cargo:
	@if test -n "$(CARGO)"; then $(MAKE) --no-print-directory adapters; \
	else echo "no cargo here: the adapters of nomt and firewood are not built, and not tested"; fi

# The pictures of the documents, of the committed results.
pictures: build
	mkdir -p docs/pictures
	bin/getio report results/small.jsonl results/medium.jsonl results/large.jsonl --share -o docs/pictures/ios.svg
	bin/getio report results/small.jsonl results/medium.jsonl results/large.jsonl --chart keys -o docs/pictures/keys.svg
	bin/getio report results/states.jsonl -o docs/pictures/stores.svg
	bin/getio report results/l0-leveldb.jsonl --chart l0 -o docs/pictures/cliff.svg
	bin/getio report results/chain-1m.jsonl --share -o docs/pictures/operations.svg

# vet has run before the tests, and no debugger looks at them: without its tables, linking
# them takes half the time.
# Tests of a package wait for disks and devices as much as they compute: four of them run at a
# time also on fewer processors.
quick = -vet=off -ldflags=-w -timeout 30m -parallel $(shell n=$$(nproc); echo $$((n > 4 ? n : 4)))

# All tests, the ground truth against patched libraries included. What they
# need beside the toolchain they make themselves.
test: rocksdb browser vet adapters-if-cargo
	$(GO) test $(tags) $(quick) ./...
	$(GO) test -race -short $(quick) ./outside/adapter ./dataset ./tree/virtual ./load ./measure ./measure/metrics ./measure/workload ./engine/pebble/sstfile ./engine/rocksdb/rocksfile ./engine/pebble/pebbledb
	$(GO) test $(quick) ./engine/rocksdb
	$(GO) test $(quick) ./cmd/getio -run 'TestScripts/rocksdb_missing'

rocksdb:
	@{ $(rocksdb_found); } || { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends librocksdb-dev g++; } || true
	@{ $(rocksdb_found); } || echo "RocksDB 7 is not installed and cannot be installed here: its engine is not tested"

browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	{ apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium; } || \
	{ echo "tests of pages need Chromium, and it cannot be installed here: install it, or run make as root on Debian"; exit 1; }

# Tests of built datasets at full size, some of them without an end of their own:
# half an hour.
long:
	GETIO_GETS=1000000 $(GO) test $(tags) -v -count 1 -timeout 60m -run TestGetsOfBuiltDatasets ./load
	GETIO_KILLS=20 GETIO_KILL_KEYS=1000000 $(GO) test $(tags) -v -count 1 -timeout 60m -run TestBuildsKilledAtAnyMoment ./cmd/getio
	$(GO) test -run '^$$' -fuzz FuzzBlockBorders -fuzztime 10m ./load/treewriter

vet:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt-clean: $$unformatted"; exit 1; fi
	$(GO) vet $(tags) ./...
	$(GO) vet ./engine/rocksdb

# What measuring and loading cost, as ratios of runs made side by side.
bench:
	$(GO) test $(tags) -run '^$$' -bench . -benchtime 1x -timeout 60m ./experiment/bench
	$(GO) test -run '^$$' -bench . -benchtime 100ms ./dataset
	$(GO) test -run '^$$' -bench . -benchtime 5x ./report/html
	$(GO) test -run '^$$' -bench . -benchtime 1s ./outside/adapter

clean:
	rm -rf bin
