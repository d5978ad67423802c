# getio needs the Go toolchain; Go fetches the modules. `make deps` installs what else the tests
# use, from Debian's packages: RocksDB, Chromium and Slurm. `make test` calls it for what is missing.
# RocksDB is compiled in where its library is installed, or where `make rocksdb-static` has built a
# current one. The adapters in Rust need cargo, and are left out where there is none. GOFLAGS from
# outside are respected.

GO ?= go
# Without the paths of a clone, all clones share one build cache.
export GOFLAGS := $(shell $(GO) env GOFLAGS) -trimpath
CARGO ?= $(shell command -v cargo || ls $(HOME)/.cargo/bin/cargo 2>/dev/null)
CARGO_JOBS ?= 2

# The bridge to RocksDB (engine/rocksdb) compiles with versions 7 to 11 of the library: one elsewhere that pkg-config
# finds by PKG_CONFIG_PATH, which may be static; else the pinned release, if `make rocksdb-static` has built it; else the
# system's. ROCKSDB=system takes the system's all the same. The pinned one lies beside Go's cache, where all clones find
# it, under a checksum of what it is built from.
cache := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
rocksdb_static := $(cache)/getio-rocksdb/$(shell cat engine/rocksdb/static/* | cksum | cut -d' ' -f1)
ROCKSDB ?= $(if $(wildcard $(rocksdb_static)/rocksdb.pc),static,system)
ifeq ($(ROCKSDB)$(PKG_CONFIG_PATH),static)
export PKG_CONFIG_PATH := $(rocksdb_static)
endif
# $(shell) gets what a makefile exports only since GNU make 4.4.
pkg_config = $(shell PKG_CONFIG_PATH="$(PKG_CONFIG_PATH)" pkg-config $(1) rocksdb 2>/dev/null)
rocksdb_elsewhere := $(call pkg_config,--cflags)
ifneq ($(strip $(rocksdb_elsewhere)),$(filter $(rocksdb_elsewhere),$(CGO_CXXFLAGS))) # else a make above has set them
export CGO_CXXFLAGS := $(or $(CGO_CXXFLAGS),-O2 -g) $(rocksdb_elsewhere)
export CGO_LDFLAGS := $(or $(CGO_LDFLAGS),-O2 -g) $(call pkg_config,--libs --static)
# RocksDB's release build is compiled with -fno-rtti. Classes that derive from RocksDB's must then be
# compiled the same way. Debian's package has RTTI.
links_derived_class = printf '\043include <rocksdb/listener.h>\nstruct L : rocksdb::EventListener {} l;int main() {}\n' | \
	$(CXX) $(CGO_CXXFLAGS) $(1) -std=c++20 -x c++ - -x none $(CGO_LDFLAGS) -lrocksdb -o /dev/null 2>/dev/null
export CGO_CXXFLAGS := $(CGO_CXXFLAGS) $(shell $(call links_derived_class) || { $(call links_derived_class,-fno-rtti) && echo -fno-rtti; })
endif
rocksdb_found = printf '\043include <rocksdb/version.h>\nstatic_assert(ROCKSDB_MAJOR >= 7 && ROCKSDB_MAJOR <= 11, "");int main() {}\n' | \
	$(CXX) $(CGO_CXXFLAGS) -std=c++20 -x c++ - -x none $(CGO_LDFLAGS) -lrocksdb -o /dev/null 2>/dev/null
browser_found = command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null
slurm_found = command -v slurmctld >/dev/null && command -v munged >/dev/null && command -v jq >/dev/null
# Evaluated when a recipe runs: `make test` may have installed RocksDB by then.
tags = $(shell { $(rocksdb_found); } && echo -tags rocksdb)
# `getio --version` names the commit, where this is a clone.
vcs = $(shell git rev-parse HEAD >/dev/null 2>&1 && echo -buildvcs=true)
apt_install = apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends

.PHONY: demo build install package package-test image rocksdb-static rocksdb-both rocksdb-tests deps adapters test-adapters pictures test test-commands test-packages test-without-rocksdb test-truth test-documents test-faults test-race browser rocksdb slurm truth true-figures long fuzz faults bench lint formatted vet cross clean

# The published study's curve, measured again in a minute.
demo: build
	bin/getio demo

build:
	$(GO) build $(vcs) $(tags) -o bin/getio ./cmd/getio
	ln -f bin/getio bin/bench_pebble

# The program with its manual pages and completions, under PREFIX. DESTDIR is for packagers.
PREFIX ?= /usr/local

install: build
	cmd/packaging/install.sh bin/getio "$(DESTDIR)$(PREFIX)"

# A current RocksDB, static and without assertions: a quarter of an hour on two processors, once. Interrupted, it goes
# on where it was.
rocksdb-static:
	@test -n "$(CARGO)" || { echo "cargo not found: it fetches the sources of RocksDB; install Rust"; exit 1; }
	@command -v $(CXX) >/dev/null || { echo "$(CXX) not found: it compiles RocksDB; install a C++ compiler"; exit 1; }
	@test -e $(rocksdb_static)/rocksdb.pc || $(MAKE) --no-print-directory -C engine/rocksdb/static -j $(CARGO_JOBS) OUT=$(rocksdb_static) CARGO=$(CARGO)

# with_rocksdb=LIBRARY is make with another library than this make has chosen.
with_rocksdb = env -u PKG_CONFIG_PATH -u CGO_CXXFLAGS -u CGO_LDFLAGS $(MAKE) --no-print-directory ROCKSDB

# The tests of RocksDB, conformance and ground truth included, with the pinned release and with the system's.
rocksdb-both: rocksdb-static
	$(with_rocksdb)=static rocksdb-tests
	$(with_rocksdb)=system rocksdb-tests

rocksdb-tests: rocksdb
	test -n "$(tags)"
	$(GO) test $(tags) $(quick) -count 1 ./engine/rocksdb/...
	$(GO) test $(tags) $(quick) -count 1 ./engine/engines -run TestConformance/rocksdb
	$(GO) test $(tags) $(quick) -count 1 ./predict/replay ./predict/twin -run 'RocksDB|HyperClock|Blob'
	$(GO) test $(tags) $(quick) -count 1 ./cmd/getio -run 'TestScripts/rocksdb|TestTruth/rocksdb|TestLibraryThatAborts'

# The .deb, the .rpm and the .tar.gz of this commit, and an OCI image; cmd/packaging explains them. They always have the
# pinned RocksDB.
PACKAGES ?= bin/packages

ifeq ($(PKG_CONFIG_PATH),$(rocksdb_static))
export ROCKSDB_NOTICES := $(rocksdb_static)/notices

package:
	GO="$(GO)" cmd/packaging/package.sh "$(PACKAGES)"

image: package
	cmd/packaging/image.sh "$(PACKAGES)"

# Installs and uses the packages, and makes them twice: two minutes of processor.
package-test: package
	GETIO_PACKAGES="$(abspath $(PACKAGES))" GO="$(GO)" $(GO) test $(quick) -v -count 1 ./cmd/packaging/...
else
package image package-test: rocksdb-static
	$(with_rocksdb)=static $@
endif

# The adapters in Rust. Their build directory lies beside Go's cache, so that all clones share it.
CARGO_TARGET_DIR ?= $(cache)/getio-adapters
export CARGO_TARGET_DIR

ADAPTERS ?= nomt firewood commonware

adapters:
	@test -n "$(CARGO)" || { echo "cargo not found: install Rust 1.91 or newer to build statedb/adapters"; exit 1; }
	CARGO="$(CARGO)" statedb/adapters/workspace.sh $(CARGO_TARGET_DIR)/workspace
	$(CARGO) build --manifest-path $(CARGO_TARGET_DIR)/workspace/adapters/Cargo.toml --release --locked -j $(CARGO_JOBS) $(ADAPTERS:%=-p getio-%)
	$(CARGO) test --manifest-path $(CARGO_TARGET_DIR)/workspace/adapters/Cargo.toml --release --locked -j $(CARGO_JOBS) -p getio-adapter
	mkdir -p bin
	cp $(ADAPTERS:%=$(CARGO_TARGET_DIR)/release/getio-%) bin/

# The 350 crates of commonware take minutes: it is tested where `make adapters` has built it before.
built_before = $(shell test -e $(CARGO_TARGET_DIR)/release/getio-commonware && echo commonware)

test-adapters:
	@if test -n "$(CARGO)"; then $(MAKE) --no-print-directory adapters ADAPTERS="nomt firewood $(built_before)" && \
	$(GO) test $(quick) ./statedb/conformance -run TestRustAdapters; \
	else echo "skipped: adapters in Rust (cargo not found)"; fi

# The pictures in docs/, drawn from the committed results.
pictures: build
	mkdir -p docs/pictures
	bin/getio report results/small.jsonl results/medium.jsonl results/large.jsonl --share -o docs/pictures/ios.svg
	bin/getio report results/small.jsonl results/medium.jsonl results/large.jsonl --chart keys -o docs/pictures/keys.svg
	bin/getio report results/states.jsonl results/states-elsewhere.jsonl --chart stores -o docs/pictures/stores.svg
	bin/getio report results/l0-leveldb.jsonl --chart l0 -o docs/pictures/cliff.svg
	bin/getio report results/chain-1m.jsonl --share -o docs/pictures/operations.svg

# vet runs beside the tests, not in each of them. Without debugging tables, linking takes half the time. Tests wait
# for disks and devices as much as they compute, so at least four of a package run at a time.
quick = -vet=off -ldflags=-w -timeout 30m -parallel $(shell n=$$(nproc); echo $$((n > 4 ? n : 4)))

# The packages whose goroutines share state.
concurrent = ./measure ./load ./statedb/adapter ./measure/metrics ./engine/pebble/sstfile ./engine/virtual ./workload/dataset \
	./measure/keysource ./engine/pebble/pebbledb ./engine/rocksdb/rocksfile

# ext4 puts a directory near its parent, and without a journal it avoids inodes that were just deleted, so making a file
# takes several times as long there. +T spreads the tests' directories over the disk. With GOGC, the programs and the
# linker collect garbage less often.
test_environment = tmp=$${TMPDIR:-/tmp}/getio-tests-$$(id -u) && mkdir -p "$$tmp" && chmod 1777 "$$tmp" && { chattr +T "$$tmp" 2>/dev/null || true; } && \
	export TMPDIR="$$tmp" GOGC=$${GOGC:-400}

# All tests but those of the targets below. What is not tested is listed at the end. The tests of commands take about half of
# the time, and those that wait leave processors to others, so parts run side by side.
test: formatted rocksdb browser slurm
	@$(test_environment) && $(MAKE) --no-print-directory -j4 tags="$(tags)" test-commands test-packages test-without-rocksdb vet
	@{ echo "figures against patched libraries, libraries alone, real runs and the kernel's counts (make test-truth)"; \
	echo "the commands of documents (make test-documents)"; \
	echo "kills, races, power cuts, full disks and damaged files (make test-faults)"; \
	echo "the race detector (make test-race)"; \
	echo "adapters in Rust (make test-adapters)"; \
	test -n "$(tags)" || echo "RocksDB (not installed)"; \
	{ $(slurm_found); } || echo "Slurm (not installed)"; \
	test $$(id -u) = 0 || echo "watching, counting from outside, other users (they need root)"; \
	test -e "$${GETIO_CHAINDATA:-../shared/data/chaindata-path.tar.zst}" || echo "genuine chaindata (GETIO_CHAINDATA does not name it)"; \
	test -n "$$GETIO_GETH" || echo "a running geth (GETIO_GETH does not name the program; make long)"; } | sed 's/^/skipped: /'

# What is done to commands from outside: kills, interruptions, power cuts, failing system calls, full disks, damaged files,
# other users.
faults_of_commands = TestAbandoned|TestLibraryThatAborts|TestCallFaults|TestCellsKilled|TestFaults|TestBuildsKilled|TestInterrupted|TestPowerCuts|TestChainIsPublishedWhole|TestOthersDirectories|TestAnotherUser|TestScripts/^(damage|interrupt|killed|nospace)

# Tests that compare figures with what shares no code with them, or with long runs: two minutes of processor, and as much
# for the patched libraries.
truths = TestGrowAndMeasure|TestPopularKeysMatchMeasurements|TestPublishedReads|TestPredictedCliff|TestKeysAreDrawnUniformly|TestDeviceReads$$|TestPageCache$$|TestPagesAreWhatTheDiskReads|TestSimulationMatchesLibrary

test-truth: rocksdb
	@$(test_environment) && $(GO) test $(tags) $(quick) ./engine/groundtruth && \
	$(GO) test $(tags) $(quick) -run 'TestTruth$$|$(truths)' ./cmd/getio ./predict/... ./ethereum/level0 ./measure/... ./statedb/counter

test-documents: rocksdb
	@$(test_environment) && $(GO) test $(tags) $(quick) ./cmd/getio -run TestCommandsOfDocuments

test-commands:
	$(GO) test $(tags) $(quick) ./cmd/getio -skip '$(faults_of_commands)|TestTruth$$/^(pebblev1|goleveldb|rocksdb)$$|$(truths)|TestCommandsOfDocuments'

test-faults: rocksdb
	@$(test_environment) && $(GO) test $(tags) $(quick) ./cmd/getio -run '$(faults_of_commands)'

# Packages that watch programs wait for most of their time, and others compute for a minute. They come first, and three
# packages run at a time, so that those at the end keep all processors busy.
longest = ^getio/(watch|predict|statedb|ethereum|engine/engines)(/|$$)

test-packages:
	packages=$$($(GO) list $(tags) ./...) && $(GO) test $(tags) $(quick) -p $$(n=$$(nproc); echo $$((n > 3 ? n : 3))) \
		-skip 'TestRustAdapters|$(truths)' $$(echo "$$packages" | grep -E "$(longest)") $$(echo "$$packages" | grep -vE -e "$(longest)" -e '/cmd/getio$$|/engine/groundtruth$$')

# The build without RocksDB, and the separate module.
test-without-rocksdb:
	$(GO) test $(quick) ./engine/rocksdb
	$(GO) test $(quick) ./cmd/getio -run 'TestScripts/rocksdb_missing'
	cd experiment/schedulers/kubernetes && $(GO) test $(quick) ./...

test-race:
	@$(test_environment) && $(GO) test -race -short -p 2 $(quick) $(concurrent)

# What the tests need besides Go.
deps: rocksdb browser slurm

rocksdb:
	@{ $(rocksdb_found); } || { { $(apt_install) librocksdb-dev g++; }; $(rocksdb_found); } || \
	echo "RocksDB cannot be installed here: its engine is not tested"

# The headless shell needs half of Chromium's CPU time, so it is installed where apt has it.
browser:
	@command -v chromium-headless-shell >/dev/null || \
	{ test $$(id -u) = 0 && apt-cache show chromium-headless-shell >/dev/null 2>&1 && $(apt_install) chromium-headless-shell; } || \
	{ $(browser_found); } || { $(apt_install) chromium; } || \
	{ echo "cannot install Chromium, which the tests of pages need: install it, or run make as root on Debian"; exit 1; }

slurm:
	@{ $(slurm_found); } || { $(apt_install) slurm-wlm munge jq; } || echo "Slurm cannot be installed here: it is not tested"

# Tests of built datasets at full size, half an hour; commands interrupted at 200 moments each, and
# raced by another user 1,000 times each, an hour; eight writers of one file, a minute; tests with a
# real geth, a quarter of an hour, if GETIO_GETH names its program; Gets of 64 workers beside updates, an hour or two; false
# alarms of the gate and coverage of 95% intervals over hundreds of real runs, three hours of one processor; the tests of
# RocksDB with both libraries; and fuzzing, ten minutes for each parser.
long:
	@echo "This takes about eight hours of a processor, and two more of waiting."
	GETIO_GETS=1000000 $(GO) test $(tags) -v -count 1 -timeout 60m -run TestGetsOfBuiltDatasets ./load
	GETIO_KILLS=20 GETIO_KILL_KEYS=1000000 $(GO) test $(tags) -v -count 1 -timeout 60m -run TestBuildsKilledAtAnyMoment ./cmd/getio
	GETIO_PAGES_KEYS=1000000 $(GO) test $(tags) -v -count 1 -run TestPagesAreWhatTheDiskReads ./measure
	GETIO_APPEND_FOR=1m $(GO) test -v -count 1 -run TestProcessesAppend ./record
	GETIO_RACES=1000 $(GO) test $(tags) -v -count 1 -timeout 2h -run TestAnotherUserRacesCommands ./cmd/getio
	GETIO_INTERRUPTS=200 $(GO) test $(tags) -v -count 1 -timeout 2h -run TestInterruptedCommandsLeaveNothing ./cmd/getio
	$(GO) test $(tags) -v -count 1 -timeout 60m -run 'TestGeth$$' ./cmd/getio
	GETIO_LOAD_FOR=1h $(GO) test $(tags) -v -count 1 -timeout 5h -run TestLongLoad ./cmd/getio
	GETIO_GATE_PAIRS=50 $(GO) test $(tags) -v -count 1 -timeout 60m -run 'TestGateFalseAlarms|TestGatePower' ./cmd/getio
	GETIO_DRAWS=1000000 $(GO) test $(tags) -v -count 1 -timeout 60m -run TestKeysAreDrawnUniformly ./measure/keysource
	GETIO_COVERAGE=200 $(GO) test $(tags) -v -count 1 -timeout 10h -run TestIntervalsCoverTheTruth ./cmd/getio ./statedb
	$(MAKE) --no-print-directory rocksdb-both
	$(MAKE) --no-print-directory fuzz FUZZ_TIME=10m

# All figures on all trees that people have, against what the libraries alone read of them: 20 minutes of one processor,
# and five more for the pinned RocksDB, where there is cargo. Writes results/truth.csv.
truth: $(if $(CARGO),rocksdb-static)
	$(with_rocksdb)=system true-figures
	$(if $(CARGO),$(with_rocksdb)=static true-figures TREES=/./rocksdb)

true-figures: rocksdb
	GETIO_TRUTH=$(CURDIR)/results/truth.csv $(GO) test $(tags) -v -count 1 -timeout 5h -run 'TestTruth$$$(TREES)' ./cmd/getio

# Each fuzz target for a while, on one processor. An input that fails is left in the package's
# testdata/fuzz, from which 'make test' takes it; inputs that reach other code are kept in Go's cache.
FUZZ_TIME ?= 1m
fuzz:
	set -e; for package in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -ho '^func Fuzz[A-Za-z]*' $$package/*_test.go | cut -d' ' -f2); do \
			echo "$$package $$target"; \
			$(GO) test $(tags) -vet=off -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZ_TIME) -parallel 1 $$package; done; done

# Damages files that getio reads, 20,000 times, makes all system calls of all commands fail, a third with each of three
# seeds, and rebuilds 2,000 states after a power cut of each kind of load: half an hour for each seed. `make test-faults`
# makes a few.
FAULT_SEEDS ?= 1 2 3
faults:
	@echo "This takes half an hour of a processor for each of the seeds $(FAULT_SEEDS)."
	for seed in $(FAULT_SEEDS); do \
		$(GO) test $(tags) $(quick) -v -count 1 ./cmd/getio -run TestFaults -args -faults 6700 -fault-seed $$seed || exit 1; \
		$(GO) test $(tags) $(quick) -timeout 3h -v -count 1 ./cmd/getio -run 'TestCallFaults|TestPowerCuts' \
			-args -call-faults 0 -call-step 3 -power-cuts 667 -fault-seed $$seed || exit 1; done

formatted:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt-clean: $$unformatted"; exit 1; fi

vet: formatted
	$(GO) vet $(tags) ./...
	$(GO) vet ./engine/rocksdb

# The program for other systems, none of which is here: it is built without cgo, and everything is vetted.
cross:
	@set -e; for target in linux/arm64 darwin/arm64 darwin/amd64; do \
		export CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/}; echo "$$target"; \
		$(GO) build -o /dev/null ./cmd/getio; $(GO) vet ./...; done

# Everything that needs no test run: formatting, vet, staticcheck, tidy modules.
lint: vet
	$(GO) tool staticcheck $(tags) ./...
	$(GO) mod tidy -diff
	cd cmd/packaging/nfpm && $(GO) mod tidy -diff
	cd experiment/schedulers/kubernetes && $(GO) mod tidy -diff

# What measuring and loading cost, as ratios of runs made side by side.
bench:
	@echo "This takes about a quarter of an hour."
	$(GO) test $(tags) -run '^$$' -bench . -benchtime 1x -timeout 60m ./internal/overhead
	$(GO) test -run '^$$' -bench . -benchtime 100ms ./workload/dataset
	$(GO) test -run '^$$' -bench . -benchtime 5x ./report/html
	$(GO) test -run '^$$' -bench . -benchtime 1s ./statedb/adapter
	$(GO) test -run '^$$' -bench . -benchtime 1x ./watch

clean:
	rm -rf bin
