# Daily targets; `make` alone lists them. Tools are installed and cached by .ci/run.
# Without symbols, and without inlining in libraries that run seldom: the binary stays under its limit.
BUILDFLAGS := $(shell cat .ci/buildflags)
export CGO_ENABLED ?= 0
RUN ?= .
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64

.DEFAULT_GOAL := help
.PHONY: help build web release test test-all lint fmt integration bench nightly

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/loci
	@echo 'go build -o bin/loci ./cmd/loci'
	@go build $(BUILDFLAGS) -o bin/loci ./cmd/loci

web: ## build the dashboard into internal/web/dashboard
	.ci/run web

release: ## build one static binary for each of PLATFORMS into dist/, with SHA256SUMS
	rm -rf dist && mkdir dist
	@for p in $(PLATFORMS); do \
		echo "building loci for $$p"; \
		os=$${p%/*} arch=$${p#*/}; if [ $$os = windows ]; then ext=.exe; else ext=; fi; \
		GOOS=$$os GOARCH=$$arch go build $(BUILDFLAGS) -o dist/loci-$$os-$$arch$$ext ./cmd/loci || exit 1; \
	done
	cd dist && if command -v sha256sum >/dev/null; then sha256sum loci-*; else shasum -a 256 loci-*; fi >SHA256SUMS

test: ## fast tests; RUN=Name picks some
	go test -run '$(RUN)' ./...

test-all: ## everything that decides whether a change lands (race, lint, other systems, integration)
	.ci/run

lint: ## gofmt, go vet, golangci-lint
	.ci/run lint

fmt: ## format the Go files
	gofmt -w $$(git ls-files -co --exclude-standard '*.go')

integration: ## the binary against real clients and the MCP conformance suite
	.ci/run integration

bench: build ## the figures of `loci bench`
	bin/loci bench

# .ci/run keeps Node and the reference memory server there.
TOOLS = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/loci-ci

nightly: ## test-all, cross builds, then each fuzz target for a minute, the slow soak tests and short benchmarks
	.ci/run
	.ci/run cross
	.ci/run fuzz 60s
	.ci/run test 2 # .ci/run was the first of three
	go test -count=1 -timeout 60m -run 'Model|OtherTimes|Strangers|Identity|OneKey|Budget|Tokens|Hidden' ./internal/app -rapid.checks=400
	LOCI_NIGHTLY=1 go test -count=1 -run TestKillDuringWrites -v ./cmd/loci
	LOCI_NIGHTLY=1 go test -count=1 -run TestManyProjectFiles -v ./internal/store/sqlite
	@$(MAKE) build
	bin/loci bench --memories 10000 --step 2s
	bin/loci bench events --events 20000 --step 2s
	bin/loci bench graph --entities 2000 --observations 20000 --step 2s
	bin/loci bench graph --step 2s --reference "$$(ls $(TOOLS)/node-*/node_modules/.bin/node | tail -1) $$(ls $(TOOLS)/server-memory-*/node_modules/@modelcontextprotocol/server-memory/dist/index.js | tail -1)"
	bin/loci bench --fairness --memories 5000 --step 4s
	bin/loci bench --processor --memories 10000 --step 2s
