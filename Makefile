# Everything here needs the Go toolchain and nothing else; modules are fetched
# by it. GOFLAGS from outside are respected.

GO ?= go

.PHONY: demo build test long bench vet clean

# A short tour: the published study's curve, measured again in three minutes.
demo: build
	bin/getio demo

build:
	$(GO) build -o bin/getio ./cmd/getio
	ln -f bin/getio bin/bench_pebble

# All tests, the ground truth against patched libraries included. What they
# need beside the toolchain they make themselves.
test: vet
	$(GO) test -timeout 20m ./...
	$(GO) test -race -short -timeout 20m ./dataset ./virtual ./load ./measure ./workload ./engine/sstfile ./engine/pebbledb

# Tests of built datasets at full size, some of them without an end of their own:
# half an hour.
long:
	GETIO_GETS=1000000 $(GO) test -v -count 1 -timeout 60m -run TestGetsOfBuiltDatasets ./load
	GETIO_KILLS=20 GETIO_KILL_KEYS=1000000 $(GO) test -v -count 1 -timeout 60m -run TestBuildsKilledAtAnyMoment ./cmd/getio
	$(GO) test -run '^$$' -fuzz FuzzBlockBorders -fuzztime 10m ./build

vet:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt-clean: $$unformatted"; exit 1; fi
	$(GO) vet ./...

# What measuring and loading cost, as ratios of runs made side by side.
bench:
	$(GO) test -run '^$$' -bench . -benchtime 1x -timeout 60m ./bench
	$(GO) test -run '^$$' -bench . -benchtime 100ms ./dataset

clean:
	rm -rf bin
