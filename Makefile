# Everything here needs the Go toolchain and nothing else; modules are fetched
# by it. GOFLAGS from outside are respected. Tests of pages need a Chromium, which
# `make test` installs from Debian's packages if there is none.

GO ?= go

.PHONY: demo build pictures test browser long bench vet clean

# A short tour: the published study's curve, measured again in three minutes.
demo: build
	bin/getio demo

build:
	$(GO) build -o bin/getio ./cmd/getio
	ln -f bin/getio bin/bench_pebble

# The pictures of the documents, of the committed results.
pictures: build
	mkdir -p docs/pictures
	bin/getio report results/small.jsonl results/medium.jsonl results/large.jsonl --share -o docs/pictures/ios.svg
	bin/getio report results/small.jsonl results/medium.jsonl results/large.jsonl --chart keys -o docs/pictures/keys.svg

# All tests, the ground truth against patched libraries included. What they
# need beside the toolchain they make themselves.
test: vet browser
	$(GO) test -timeout 20m ./...
	$(GO) test -race -short -timeout 20m ./dataset ./virtual ./load ./measure ./metrics ./workload ./engine/sstfile ./engine/pebbledb

browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	{ apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium; } || \
	{ echo "tests of pages need Chromium, and it cannot be installed here: install it, or run make as root on Debian"; exit 1; }

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
	$(GO) test -run '^$$' -bench . -benchtime 5x ./page

clean:
	rm -rf bin
