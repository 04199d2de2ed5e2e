# `make help` lists the targets. EXE names the binary that `make` writes: `make EXE=path` is how test frameworks call it.

.DEFAULT_GOAL := build
.PHONY: build tuner lab tune net-demo sprt pgo x86-64-v2 x86-64-v3 x86-64-v4 bench bench-record bench-levels test loom miri lint fmt clean help
# Two builds in one folder would copy each other's binary.
.NOTPARALLEL:

SUFFIX  := $(if $(filter Windows_NT,$(OS)),.exe)
EXE     ?= nullarbor
# A path without the suffix of the platform gets it; an absolute path stays what it is.
BINARY   = $(abspath $(EXE:$(SUFFIX)=)$(SUFFIX))
HOST    := $(shell rustc -vV | sed -n 's/^host: //p')
# Of the engine: `tune` shows its parameters as UCI options.
FEATURES ?=
# The network that is built in, instead of the engine's own; from wherever one looks at it.
ifneq ($(EVALFILE),)
override export EVALFILE := $(abspath $(EVALFILE))
endif
PGO     := $(abspath target/pgo)
PROFDATA = $(firstword $(wildcard $(shell rustc --print sysroot)/lib/rustlib/$(HOST)/bin/llvm-profdata$(SUFFIX)) $(shell command -v llvm-profdata))
LEVELS  := x86-64 x86-64-v2 x86-64-v3 $(if $(shell grep -sw avx512vl /proc/cpuinfo),x86-64-v4)

# $(call compile,flags of rustc,folder,output[,package and more words]). With --target the flags bind the engine and not the build
# scripts, which must run on this machine whatever the engine is built for.
define compile
RUSTFLAGS="$(strip $(RUSTFLAGS) $(1))" cargo build --release --package $(or $(4),nullarbor) --target $(HOST) --target-dir target/$(2)
cp -f target/$(2)/$(HOST)/release/$(or $(firstword $(4)),nullarbor)$(SUFFIX) "$(3)"
endef

# $(call signature,binary): the first word of the last line of its bench, which is shown.
signature = output=$$("$(1)" bench) || exit 1; last=$$(printf '%s\n' "$$output" | tail -n 1); echo "$$last"; found=$${last%% *}

# $(call compare,binary,name)
define compare
@recorded=$$(cat .bench) || { echo "no recorded signature: make bench-record writes it" >&2; exit 1; }; \
$(call signature,$(1)); \
if [ "$$found" != "$$recorded" ]; then echo "$(2): signature $$found, recorded $$recorded" >&2; exit 1; fi; \
echo "$(2): signature $$found is the recorded one"
endef

build: ## Build ./nullarbor for this machine (the default); EXE=path elsewhere, EVALFILE=net with another network, FEATURES=tune with parameters as options
	$(call compile,-C target-cpu=native,native,$(BINARY),nullarbor $(FEATURES:%=--features %))

tuner: ## Build ./nullarbor-tuner, which plays matches and makes books, for this machine
	$(call compile,-C target-cpu=native,native,nullarbor-tuner$(SUFFIX),nullarbor-tuner)

LAB := target/lab

lab: tuner ## Hold schemes of the null move against each other on the built-in positions: tables, and a page with plots
	./nullarbor-tuner$(SUFFIX) lab --depths 5,6,7,8 --policies off,fixed-2,fixed-3,verified,nullarbor --engine plain --out $(LAB)

TUNE := target/tune

tune: tuner ## A tuning run from its beginning to its end, small: init, run, report, verify
	rm -rf $(TUNE) && mkdir -p $(TUNE)
	./nullarbor-tuner$(SUFFIX) spsa init --group reverse_futility --iterations 150 --pairs 4 --nodes 1000 > $(TUNE)/run.toml
	./nullarbor-tuner$(SUFFIX) spsa run $(TUNE)/run.toml --dir $(TUNE)/run
	./nullarbor-tuner$(SUFFIX) spsa verify $(TUNE)/run --at nodes=2000 --games 400
	@echo "The report, to be looked at with a browser:"
	@./nullarbor-tuner$(SUFFIX) spsa report $(TUNE)/run

DEMO := target/net-demo

net-demo: build tuner ## A network from its beginning to its end, small: games, training, and what it says of five positions
	rm -rf $(DEMO) && mkdir -p $(DEMO)
	./nullarbor-tuner$(SUFFIX) datagen --out $(DEMO)/games --games 4096 --nodes 300
	./nullarbor-tuner$(SUFFIX) train --data $(DEMO)/games --epochs 6 --out $(DEMO)/net.nnue
	@for fen in $(DEMO_POSITIONS); do \
		fen=$$(echo "$$fen" | tr _ ' '); echo "$$fen"; \
		$(BINARY) eval --evalfile $(DEMO)/net.nnue --fen "$$fen" || exit 1; \
	done

# The start; a queen ahead; a rook behind; a won and a drawn ending with pawns.
DEMO_POSITIONS := rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1 rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1 \
	rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR_w_Kkq_-_0_1 8/5pk1/6p1/PP6/8/6P1/5PK1/8_w_-_-_0_1 8/5pk1/6p1/8/8/6P1/5PK1/8_w_-_-_0_1

# A match of this working tree against an earlier revision, until it is clear which one is the stronger. Cargo goes by the
# times of files, so those of an unpacked revision must be new (tar -m); a binary that plays is never written over.
NODES  ?= 5000
LIMIT   = $(if $(TC),--tc $(TC),--nodes $(NODES))
BOUNDS ?= 0,10
HASH   ?= 16
BOOK   ?= unbalanced
SPRT   := target/sprt
ADJUDICATION := --draw movenumber=40,movecount=8,score=10 --resign movecount=3,score=400

sprt: ## Test this tree against BASE=<revision>; also NODES=5000 or TC=1+0.01, BOUNDS=0,10, HASH=16, BOOK=, MATCH=<more words>
	@test -n "$(BASE)" || { echo "say what to compare with: make sprt BASE=<revision>" >&2; exit 1; }
	@git rev-parse --quiet --verify "$(BASE)^{commit}" > /dev/null || { echo "no revision $(BASE)" >&2; exit 1; }
	@$(MAKE) --no-print-directory tuner
	@mkdir -p $(SPRT)
	$(call compile,-C target-cpu=native,native,$(SPRT)/new$(SUFFIX))
	@base=$$(git rev-parse --short=10 --verify "$(BASE)^{commit}"); \
	new=tree-$$(git hash-object $(SPRT)/new$(SUFFIX) | cut -c 1-10); \
	mv -f $(SPRT)/new$(SUFFIX) $(SPRT)/$$new$(SUFFIX); \
	if [ ! -x "$(SPRT)/$$base$(SUFFIX)" ]; then \
		rm -rf $(SPRT)/source && mkdir -p $(SPRT)/source $(SPRT)/build && \
		git archive "$$base" | tar -xm -C $(SPRT)/source && \
		ln -s ../build $(SPRT)/source/target && \
		$(MAKE) --no-print-directory -C $(SPRT)/source EXE="$(abspath $(SPRT))/$$base$(SUFFIX)" || exit 1; \
	fi; \
	./nullarbor-tuner$(SUFFIX) match --engine "cmd=$(SPRT)/$$new$(SUFFIX),name=new,option.Hash=$(HASH)" \
		--engine "cmd=$(SPRT)/$$base$(SUFFIX),name=$$base,option.Hash=$(HASH)" \
		$(LIMIT) --sprt=$(BOUNDS) --book $(BOOK) $(ADJUDICATION) $(MATCH)

pgo: ## Build ./nullarbor for this machine, guided by a profile of its own bench
	@test -n "$(PROFDATA)" || { echo "no llvm-profdata: rustup component add llvm-tools" >&2; exit 1; }
	rm -rf $(PGO) && mkdir -p $(PGO)
	$(call compile,-C target-cpu=native -C profile-generate=$(PGO)/raw,pgo/instrumented,$(PGO)/nullarbor)
	$(PGO)/nullarbor bench
	$(PROFDATA) merge --output=$(PGO)/merged.profdata $(PGO)/raw
	$(call compile,-C target-cpu=native -C profile-use=$(PGO)/merged.profdata,pgo/optimised,$(BINARY))

x86-64-v2 x86-64-v3 x86-64-v4: ## Build ./nullarbor-<level> for all machines of an instruction-set level
	$(call compile,-C target-cpu=$@,levels,nullarbor-$@$(SUFFIX))

bench: build ## Build, run the bench and hold its signature against the recorded one
	$(call compare,$(BINARY),native)

bench-record: build ## Record the signature of this build, after a change of the search that was meant
	@$(call signature,$(BINARY)); echo "$$found" > .bench

bench-levels: $(LEVELS:%=bench-level-%) ## Hold the signature of each instruction-set level that this machine runs against the recorded one

bench-level-%:
	$(call compile,-C target-cpu=$*,levels,target/levels/nullarbor-$*$(SUFFIX))
	$(call compare,target/levels/nullarbor-$*$(SUFFIX),$*)

test: ## Build and run all tests
	cargo build --workspace
	cargo test --workspace

# A name that matches nothing would pass: the first line of each makes sure that there is something to run.
LOOM := RUSTFLAGS="--cfg loom" cargo test --package nullarbor --lib --target-dir target/loom loom
loom: ## Run the models of the shared table under loom
	@$(LOOM) -- --list | grep ': test$$' || { echo "no test under loom" >&2; exit 1; }
	$(LOOM)

MIRI := cargo +nightly miri test --package nullarbor --lib --target-dir target/miri table::
miri: ## Run the tests of the shared table under Miri, where nightly Rust has it
	@if cargo +nightly miri --version > /dev/null 2>&1; then \
		$(MIRI) -- --list | grep ': test$$' && $(MIRI); \
	else echo "skipped: no Miri (rustup +nightly component add miri rust-src)"; fi

lint: ## Check the format and run clippy, with every warning an error
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

fmt: ## Format the sources
	cargo fmt --all

clean: ## Remove all that was built
	cargo clean
	rm -f nullarbor$(SUFFIX) nullarbor-tuner$(SUFFIX) nullarbor-x86-64-v[234]$(SUFFIX)

help: ## List the targets
	@sed -n 's/^\([a-z0-9 -]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "%-34s %s\n", $$1, $$2 }'
