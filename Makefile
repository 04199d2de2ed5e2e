# `make help` lists the targets. EXE names the binary that `make` writes: `make EXE=path` is how test frameworks call it.

.DEFAULT_GOAL := build
.PHONY: build build-pgo-no build-pgo-yes pgo tuner tuner-pgo-no tuner-pgo-yes install uninstall universal release release-tuner deb lab null-move null-move-page \
	tune net-demo sprt sprt-here sprt-cluster revision ablations bench bench-record bench-levels test test-long fuzz loom miri lint doc crates deny screenshots fmt clean help
# Two builds in one folder would overwrite each other's binary.
.NOTPARALLEL:

SUFFIX  := $(if $(filter Windows_NT,$(OS)),.exe)
EXE     ?= nullarbor
# EXE may lack the suffix of the platform, and may be an absolute path.
BINARY   = $(abspath $(EXE:$(SUFFIX)=)$(SUFFIX))
HOST    := $(shell rustc -vV | sed -n 's/^host: //p')
# `tune` shows the search parameters as UCI options.
FEATURES ?=
# The network to build in instead of engine/network.nnue.
ifneq ($(EVALFILE),)
# On two lines: GNU make 3.81, which macOS has, takes one modifier a line.
override EVALFILE := $(abspath $(EVALFILE))
export EVALFILE
endif
# The tool that reads profiles must be of the compiler's LLVM: `rustup component add llvm-tools`, or PROFDATA=path.
PROFDATA ?= $(wildcard $(subst \,/,$(shell rustc --print sysroot))/lib/rustlib/$(HOST)/bin/llvm-profdata$(SUFFIX))
# Whether the engine is built with a profile of its bench: PGO=no builds in half the time.
PGO     ?= $(if $(PROFDATA),yes,no)
PROFILE := $(abspath target/pgo-profile)
# The flags of builds for this machine: on Intel's processors without AVX-512 (engine/SEARCH.md, Speed). Linux and MSYS name the maker
# in a file, macOS in sysctl, Windows in the environment.
INTEL   := $(if $(filter x86_64-%,$(HOST)),$(findstring GenuineIntel,$(PROCESSOR_IDENTIFIER) \
	$(shell grep -m 1 GenuineIntel /proc/cpuinfo 2> /dev/null || sysctl -n machdep.cpu.vendor 2> /dev/null)))
NATIVE  := -C target-cpu=native $(if $(INTEL),-C target-feature=-avx512f)
# The machine that `make universal` and `make release` build for.
TARGET  ?= $(HOST)

# $(call rustflags,rustc flags) sets the flags of the compiler. Cargo splits RUSTFLAGS at spaces, which the path in place of
# @PROFILE@ may have, so the flags are separated by a control character.
SPACE    := $(subst ,, )
SEPARATOR := $(shell printf '\037')
rustflags = CARGO_ENCODED_RUSTFLAGS="$(subst @PROFILE@,$(PROFILE),$(subst $(SPACE),$(SEPARATOR),$(strip $(RUSTFLAGS) $(1))))"

# $(call compile,rustc flags,target folder,output[,package and further arguments]). With --target the flags do not apply to build
# scripts, which must run on this machine whatever the engine is built for.
define compile
$(rustflags) cargo build --release --locked --package $(or $(4),nullarbor) --target $(HOST) --target-dir target/$(2)
cp -f target/$(2)/$(HOST)/release/$(or $(firstword $(4)),nullarbor)$(SUFFIX) "$(3)"
endef

# $(call signature,binary) sets $found to the node count on the last line of its bench, and prints that line.
signature = output=$$("$(1)" bench) || exit 1; last=$$(printf '%s\n' "$$output" | tail -n 1); echo "$$last"; found=$${last%% *}

# $(call verify,binary,name) compares its signature with the recorded one.
define verify
recorded=$$(cat .bench) || { echo "no recorded signature; make bench-record writes it" >&2; exit 1; }; \
$(call signature,$(1)); \
if [ "$$found" != "$$recorded" ]; then echo "$(2): signature $$found differs from the recorded $$recorded; if the search was meant to change: make bench-record" >&2; exit 1; fi; \
echo "$(2): signature $$found matches the recorded one"
endef

##@ Build
build: build-pgo-$(PGO) ## Build ./nullarbor (EXE=path, EVALFILE=net, FEATURES=tune, PGO=no)

build-pgo-no:
	$(call compile,$(NATIVE),native,$(BINARY),nullarbor $(FEATURES:%=--features %))

# The target's name before the profile-guided build was the default.
pgo: build-pgo-yes

build-pgo-yes:
	$(call compile-profile,nullarbor $(FEATURES:%=--features %))
	$(call compile,$(GUIDED),pgo/optimised,$(BINARY),nullarbor $(FEATURES:%=--features %))

tuner: tuner-pgo-$(PGO) ## Build ./nullarbor-tuner (PGO=no)

tuner-pgo-no:
	$(call compile,$(NATIVE),native,nullarbor-tuner$(SUFFIX),nullarbor-tuner)

# Its games are played by the engine in its process, so the bench of the engine makes its profile as well. The names of functions, by
# which a profile finds them, depend on the features of all crates below: here engine and tuner are compiled with those of both.
tuner-pgo-yes:
	$(call compile-profile,nullarbor --package nullarbor-tuner --bin nullarbor)
	$(call compile,$(GUIDED),pgo/optimised,nullarbor-tuner$(SUFFIX),nullarbor-tuner --package nullarbor --bin nullarbor-tuner)

GUIDED = $(NATIVE) -C profile-use=@PROFILE@/merged.profdata

# $(call compile-profile,package and further arguments) compiles the engine with counters, and lets it run its bench.
define compile-profile
@test -n "$(PROFDATA)" || { echo "no llvm-profdata: rustup component add llvm-tools" >&2; exit 1; }
rm -rf "$(PROFILE)" && mkdir -p "$(PROFILE)"
$(call compile,$(NATIVE) -C profile-generate=@PROFILE@/raw,pgo/instrumented,$(PROFILE)/nullarbor,$(1))
"$(PROFILE)/nullarbor" bench > "$(PROFILE)/bench"
"$(PROFDATA)" merge --output="$(PROFILE)/merged.profdata" "$(PROFILE)/raw"
endef

# PREFIX is where the programs live; DESTDIR, for packages, a folder that stands for the root.
PREFIX  ?= /usr/local
BIN      = $(DESTDIR)$(PREFIX)/bin
DOC      = $(DESTDIR)$(PREFIX)/share/doc/nullarbor
TUNER   ?= nullarbor-tuner$(SUFFIX)

# The tuner writes the manual pages of both programs, and what shells need to complete their commands.
MAN      = $(DESTDIR)$(PREFIX)/share/man/man1
BASH     = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH      = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH     = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
define install-tuner
set -e; echo "install $(TUNER)"; install -s -m 755 "$(TUNER)" "$(BIN)/nullarbor-tuner$(SUFFIX)"; tuner="$(BIN)/nullarbor-tuner$(SUFFIX)"; \
mkdir -p "$(BASH)" "$(ZSH)" "$(FISH)"; "$$tuner" man "$(MAN)"; for program in nullarbor nullarbor-tuner; do \
"$$tuner" completions bash $$program > "$(BASH)/$$program"; "$$tuner" completions zsh $$program > "$(ZSH)/_$$program"; \
"$$tuner" completions fish $$program > "$(FISH)/$$program.fish"; done
endef

# What is built is installed, without its debug information: nothing is compiled as root.
install: ## Install the engine, and the tuner if it is built (PREFIX=/usr/local, DESTDIR=)
	@test -f "$(BINARY)" || $(MAKE) --no-print-directory build
	mkdir -p "$(BIN)" "$(DOC)"
	install -s -m 755 "$(BINARY)" "$(BIN)/nullarbor$(SUFFIX)"
	@if [ -f "$(TUNER)" ]; then $(install-tuner); fi
	install -m 644 LICENSE README.md CHANGELOG.md "$(DOC)"

uninstall: ## Remove what make install has installed
	rm -f "$(BIN)/nullarbor$(SUFFIX)" "$(BIN)/nullarbor-tuner$(SUFFIX)" "$(DOC)/LICENSE" "$(DOC)/README.md" "$(DOC)/CHANGELOG.md"
	rm -f "$(MAN)"/nullarbor*.1 "$(BASH)"/nullarbor* "$(ZSH)"/_nullarbor* "$(FISH)"/nullarbor*.fish
	@if [ -d "$(DOC)" ]; then rmdir "$(DOC)"; fi

# Beside the baseline, a universal binary has the engine compiled for each of these levels, and chooses one at start
# (engine/src/levels.rs). Other architectures have no levels. The fourth is the third with AVX-512: the compiler's own x86-64-v4
# avoids vectors of 512 bits.
LEVELS  := $(if $(filter x86_64-%,$(TARGET)),v2 v3 v4)
FLAGS_v2 = -C target-cpu=x86-64-v2
FLAGS_v3 = -C target-cpu=x86-64-v3
FLAGS_v4 = -C target-cpu=x86-64-v3 -C target-feature=+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl
# As the binary calls them.
LEVEL_NAMES = $(if $(LEVELS),x86-64 $(LEVELS:%=x86-64-%),baseline)

# $(call compile-level,rustc flags,target folder,level) compiles the library, and the crates below it, for one level. Their metadata
# tells the copies apart.
define compile-level
$(call rustflags,$(1) $(FLAGS_$(3)) -C metadata=$(3)) cargo build --release --locked --package nullarbor --lib --target $(TARGET) --target-dir target/$(2)
mkdir -p target/$(2)/levels && cp -f target/$(2)/$(TARGET)/release/libnullarbor.rlib target/$(2)/levels/libnullarbor_$(3).rlib

endef

# $(call compile-universal,rustc flags,target folder,output). Cargo does not see that the copies of the library have changed, so an
# earlier binary is removed.
define compile-universal
$(foreach level,$(LEVELS),$(call compile-level,$(1),$(2),$(level)))
rm -f target/$(2)/$(TARGET)/release/deps/nullarbor*
$(rustflags) cargo rustc --release --locked --package nullarbor --bin nullarbor --target $(TARGET) --target-dir target/$(2) -- \
	-C strip=symbols $(if $(LEVELS),--cfg universal) $(foreach level,$(LEVELS),--extern nullarbor_$(level)=target/$(2)/levels/libnullarbor_$(level).rlib)
cp -f target/$(2)/$(TARGET)/release/nullarbor$(SUFFIX) "$(3)"
endef

##@ Release
universal: universal-pgo-$(PGO) ## Build ./nullarbor-universal, for every processor of this architecture (TARGET=, PGO=no)

universal-pgo-no:
	$(call compile-universal,,universal/plain,nullarbor-universal$(SUFFIX))

# $(call each-level,binary,command) runs a shell command for each $$level that this machine has the instructions of.
each-level = @for level in $(LEVEL_NAMES); do export NULLARBOR_LEVEL=$$level; \
	"$(1)" --version || { echo "skipped: $$level does not run here"; continue; }; $(2) || exit 1; done

# Each level has functions, and so a profile, of its own; one that does not run here is compiled without.
universal-pgo-yes:
	rm -rf "$(PROFILE)-universal" && mkdir -p "$(PROFILE)-universal"
	$(call compile-universal,-C profile-generate=@PROFILE@-universal/raw,universal/instrumented,$(PROFILE)-universal/nullarbor)
	$(call each-level,$(PROFILE)-universal/nullarbor,"$(PROFILE)-universal/nullarbor" bench > "$(PROFILE)-universal/bench")
	"$(PROFDATA)" merge --output="$(PROFILE)-universal/merged.profdata" "$(PROFILE)-universal/raw"
	$(call compile-universal,-C profile-use=@PROFILE@-universal/merged.profdata,universal/optimised,nullarbor-universal$(SUFFIX))

DIST    ?= target/release-archives
VERSION  = $(shell ./nullarbor-universal$(SUFFIX) --version 2> /dev/null | cut -d ' ' -f 2)
ARCHIVE  = nullarbor-$(VERSION)-$(TARGET)
PACKED   = $(ARCHIVE)$(if $(SUFFIX),.zip,.tar.gz)

# Licences and sources of the libraries in the binaries.
LIBRARIES = cargo tree --package nullarbor --package nullarbor-tuner --target $(TARGET) --edges normal,no-proc-macro --prefix none --no-dedupe --format '{p}: {l}, {r}'

# The tuner has no levels: for x86-64 it needs AVX2, as README.md says.
# RELEASE_TUNER=path packs one that is built already, with these flags: what Cargo alone builds is for this machine.
BUILT_TUNER = target/release-tuner/$(TARGET)/release/nullarbor-tuner$(SUFFIX)
RELEASE_TUNER ?= $(BUILT_TUNER)
release-tuner:
	$(if $(filter $(BUILT_TUNER),$(RELEASE_TUNER)),$(call rustflags,$(if $(LEVELS),$(FLAGS_v3))) cargo rustc --release --locked \
		--package nullarbor-tuner --target $(TARGET) --target-dir target/release-tuner -- -C strip=symbols)

# The sources come along, so that no link of a document is dead, and since the licence asks for them.
release: universal release-tuner ## Pack the universal binary, the tuner and the sources, and write a checksum (DIST=target/release-archives)
	@test -n "$(VERSION)" || { echo "the binary for $(TARGET) does not run here, so that its version is not known" >&2; exit 1; }
	rm -rf "$(DIST)/$(ARCHIVE)" && mkdir -p "$(DIST)/$(ARCHIVE)"
	git archive HEAD | tar -x -C "$(DIST)/$(ARCHIVE)"
	cp nullarbor-universal$(SUFFIX) "$(DIST)/$(ARCHIVE)/nullarbor$(SUFFIX)"
	cp $(RELEASE_TUNER) "$(DIST)/$(ARCHIVE)/nullarbor-tuner$(SUFFIX)"
	$(LIBRARIES) | sed 's/ (\*)//; /^nullarbor/d' | sort -u > "$(DIST)/$(ARCHIVE)/LIBRARIES"
	cd "$(DIST)" && rm -f $(PACKED) && $(if $(SUFFIX),7z a -bso0 $(PACKED),tar -czf $(PACKED)) $(ARCHIVE) && rm -r $(ARCHIVE)
	cd "$(DIST)" && if command -v sha256sum > /dev/null; then sha256sum $(PACKED); else shasum -a 256 $(PACKED); fi > $(PACKED).sha256
	@cat "$(DIST)/$(PACKED).sha256"

# What `make install` installs, with what Debian asks for. dpkg-shlibdeps wants to see a source package.
DEB      = $(DIST)/deb
DEB_DOC  = $(DEB)/tree/usr/share/doc/nullarbor
deb: universal release-tuner ## Pack both programs for Debian and Ubuntu; needs dpkg-dev (DIST=target/release-archives)
	@test -n "$(VERSION)" || { echo "the binary for $(TARGET) does not run here, so that its version is not known" >&2; exit 1; }
	rm -rf "$(DEB)" && mkdir -p "$(DEB)/debian" "$(DEB)/tree/DEBIAN"
	$(MAKE) --no-print-directory install EXE=nullarbor-universal TUNER="$(RELEASE_TUNER)" DESTDIR="$(abspath $(DEB)/tree)" PREFIX=/usr
	rm "$(DEB_DOC)/LICENSE" && install -m 644 .debian/copyright "$(DEB_DOC)/copyright"
	$(LIBRARIES) | sed 's/ (\*)//; /^nullarbor/d' | sort -u > "$(DEB_DOC)/LIBRARIES"
	mv "$(DEB_DOC)/CHANGELOG.md" "$(DEB_DOC)/changelog" && gzip -9n "$(DEB_DOC)/changelog" "$(DEB)/tree/usr/share/man/man1"/*
	printf 'Source: nullarbor\n\nPackage: nullarbor\nArchitecture: any\n' > "$(DEB)/debian/control"
	depends=$$(cd "$(DEB)" && dpkg-shlibdeps -O tree/usr/bin/* | sed -n 's/^shlibs:Depends=//p') && test -n "$$depends" && \
		sed "s/@VERSION@/$(subst -,.,$(subst -dev,~dev,$(VERSION)))/; s/@ARCHITECTURE@/$$(dpkg --print-architecture)/; s/@DEPENDS@/$$depends/" \
		.debian/control > "$(DEB)/tree/DEBIAN/control"
	dpkg-deb --root-owner-group --build "$(DEB)/tree" "$(DIST)" && rm -r "$(DEB)"

##@ Check
bench: build ## Compare the signature of this build with the recorded one
	@$(call verify,$(BINARY),native)

bench-record: build ## Record the signature after a functional change of the search
	@$(call signature,$(BINARY)); echo "$$found" > .bench; echo "End the commit message with this line:"; echo "Bench: $$found"

bench-levels: universal-pgo-no ## Compare the signatures of the levels of a universal binary
	$(call each-level,./nullarbor-universal$(SUFFIX),$(call verify,./nullarbor-universal$(SUFFIX),$$level))

# The times of tests are an unstable option of the test harness, which only the runner switches on: a variable for all of cargo
# would rebuild every crate that asks for it.
TIMED   := --config 'target.$(HOST).runner = ["$(CURDIR)/tests/timed"]'
SLOWEST  = sed -n 's/^test \(.*\) \.\.\. ok <\([0-9.]*\)s>$$/\2 s  \1/p' target/tests.log | sort -rn | head -n 10
# Many tests wait for processes, so there are twice as many threads as processors.
TEST_THREADS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null) && echo $$((2 * n)) || echo 4)
# $(call run-tests,arguments of the tests)
define run-tests
@mkdir -p target; rm -f target/tests.passed; { RUST_TEST_THREADS=$(TEST_THREADS) cargo test --workspace --no-fail-fast $(TIMED) -- $(1) && echo passed > target/tests.passed; } 2>&1 | tee target/tests.log; \
echo "The slowest tests:"; $(SLOWEST); test -f target/tests.passed
endef

test: ## Build and run the tests
	cargo build --workspace --all-targets
	$(call run-tests)

test-long: ## Run the long tests as well
	cargo build --workspace --all-targets
	$(call run-tests,--include-ignored)

FUZZ    ?= 1000000
fuzz: ## Feed all readers with mutated input (FUZZ=inputs each, FUZZ_FROM=first)
	cargo build --package nullarbor --package nullarbor-tuner
	FUZZ=$(FUZZ) cargo test --package nullarbor-fuzz --no-fail-fast

# A filter that matches nothing would pass, so the first line of each lists the tests.
LOOM := RUSTFLAGS="--cfg loom" cargo test --package nullarbor --lib --target-dir target/loom loom
loom: ## Check the transposition table's memory ordering with loom
	@$(LOOM) -- --list | grep ': test$$' || { echo "no test under loom" >&2; exit 1; }
	$(LOOM)

# Miri knows few of the instructions that this machine may have.
MIRI := RUSTFLAGS= cargo +nightly miri test --package nullarbor --lib --target-dir target/miri table::
miri: ## Run the transposition table's tests under Miri, where installed
	@if cargo +nightly miri --version > /dev/null 2>&1; then \
		$(MIRI) -- --list | grep ': test$$' && $(MIRI); \
	else echo "skipped: no Miri (rustup +nightly component add miri rust-src)"; fi

lint: ## Check the format and run clippy with warnings as errors
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --package nullarbor --all-targets --features tune -- -D warnings

doc: ## Build the documentation with warnings as errors
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

CRATES := $(shell sed -n 's/^    "\(.*\)",$$/\1/p' Cargo.toml | grep -v tests)
crates: ## Check that every crate compiles on its own
	@for crate in $(CRATES); do echo "$$crate"; cargo check --quiet --locked --manifest-path $$crate/Cargo.toml || exit 1; done

# Nothing is fetched here: `cargo deny fetch db` does, as CI does by itself.
ADVISORIES := $(or $(CARGO_HOME),$(HOME)/.cargo)/advisory-dbs
deny: ## Check licences, sources and known faults (RUSTSEC, where the database is at hand) of the dependencies, where cargo-deny is installed
	@if cargo deny --version > /dev/null 2>&1; then \
		if [ -n "$$(ls "$(ADVISORIES)" 2> /dev/null)" ]; then advisories=advisories; \
		else echo "without advisories: no database in $(ADVISORIES) (cargo deny fetch db)"; fi; \
		cargo deny --offline --config .deny.toml check $$advisories bans licenses sources; \
	else echo "skipped: no cargo-deny (cargo install cargo-deny)"; fi

LAB := target/lab

##@ Experiment
lab: tuner ## Compare null-move schemes on the built-in positions
	./nullarbor-tuner$(SUFFIX) lab --depths 5,6,7,8 --schemes off,fixed-2,fixed-3,verified,nullarbor --engine plain --out $(LAB)

null-move: tuner ## Run the experiments of NULL_MOVE.md (ONLY=name, QUICK=1, SUITES=folder)
	./nullarbor-tuner$(SUFFIX) study run $(if $(QUICK),--quick) $(if $(ONLY),--only "$(ONLY)") $(if $(SUITES),--suites "$(SUITES)")

null-move-page: tuner ## Write NULL_MOVE.md as one HTML page, for print
	./nullarbor-tuner$(SUFFIX) study page

ABLATIONS := target/ablations
GAMES ?= 1000
# A player for each search without a rule, as the tuner lists them.
WITHOUT = ./nullarbor-tuner$(SUFFIX) lab --help | sed -n 's/^ *- \(no-[a-z-]*\).*/--engine self,engine=\1,name=\1/p'

ablations: NODES = 60000
ablations: tuner ## Play the search against itself without each rule (GAMES=, NODES=); resumable, a day on two cores
	@mkdir -p $(ABLATIONS)
	./nullarbor-tuner$(SUFFIX) match --format gauntlet --engine self,name=all --engine self,NullMove=off,name=no-null-move \
		$$($(WITHOUT)) --nodes $(NODES) --games $(GAMES) --seed 1 $(ADJUDICATION) --resume $(ABLATIONS)/$(NODES).journal

TUNE := target/tune

tune: tuner ## A small SPSA run: init, plan, run, report, verify
	rm -rf $(TUNE) && mkdir -p $(TUNE)
	./nullarbor-tuner$(SUFFIX) spsa init --group reverse_futility --start-off 50 --iterations 300 --pairs 4 --nodes 1000 --seed 2 > $(TUNE)/run.toml
	./nullarbor-tuner$(SUFFIX) spsa plan $(TUNE)/run.toml --simulate --elo 80 --write $(TUNE)/planned.toml
	./nullarbor-tuner$(SUFFIX) spsa run $(TUNE)/planned.toml --dir $(TUNE)/run
	./nullarbor-tuner$(SUFFIX) spsa verify $(TUNE)/run --at nodes=1000 --games 2000
	@echo "The report, for a browser:"
	@./nullarbor-tuner$(SUFFIX) spsa report $(TUNE)/run

DEMO := target/net-demo

net-demo: build tuner ## A small network: games, training, evaluation of five positions
	rm -rf $(DEMO) && mkdir -p $(DEMO)
	./nullarbor-tuner$(SUFFIX) datagen --out $(DEMO)/games --games 4096 --nodes 300
	./nullarbor-tuner$(SUFFIX) train --data $(DEMO)/games --epochs 6 --out $(DEMO)/net.nnue
	@for fen in $(DEMO_POSITIONS); do \
		fen=$$(echo "$$fen" | tr _ ' '); echo "$$fen"; \
		"$(BINARY)" eval --evalfile $(DEMO)/net.nnue --fen "$$fen" || exit 1; \
	done

# The start; a queen ahead; a rook behind; a won and a drawn ending with pawns.
DEMO_POSITIONS := rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1 rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1 \
	rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR_w_Kkq_-_0_1 8/5pk1/6p1/PP6/8/6P1/5PK1/8_w_-_-_0_1 8/5pk1/6p1/8/8/6P1/5PK1/8_w_-_-_0_1

# Cargo compares file times, so those of an unpacked revision must be new (tar -m). A binary that may be playing is never overwritten.
NODES  ?= 5000
LIMIT   = $(if $(TC),--tc $(TC),--nodes $(NODES))
BOUNDS ?= 0,10
HASH   ?= 16
BOOK   ?= unbalanced
SPRT   := target/sprt
ADJUDICATION := --draw movenumber=40,movecount=8,score=10 --resign movecount=3,score=400

# $(call build-revision,revision) sets $commit, and $built to the path of its engine, which is built unless it is there.
define build-revision
commit=$$(git rev-parse --quiet --verify "$(1)^{commit}") || { echo "no revision $(1)" >&2; exit 1; }; \
short=$$(git rev-parse --short=10 "$$commit"); built="$(abspath $(SPRT))/$$short$(SUFFIX)"; \
if [ ! -x "$$built" ]; then \
	rm -rf $(SPRT)/source && mkdir -p $(SPRT)/source $(SPRT)/build && \
	git archive "$$commit" | tar -xm -C $(SPRT)/source && \
	ln -s ../build $(SPRT)/source/target && \
	$(MAKE) --no-print-directory -C $(SPRT)/source PGO=no EXE="$$built" >&2 || exit 1; \
fi
endef

sprt: ## Test this tree against BASE=<revision> (NODES=, TC=, BOUNDS=, HASH=, BOOK=, MATCH=; CLUSTER=<url>: its last commit, on many machines)
	@test -n "$(BASE)" || { echo "BASE is missing: make sprt BASE=<revision>" >&2; exit 1; }
	@git rev-parse --quiet --verify "$(BASE)^{commit}" > /dev/null || { echo "no revision $(BASE)" >&2; exit 1; }
	@$(MAKE) --no-print-directory sprt-$(if $(CLUSTER),cluster,here)

sprt-here: tuner
	@mkdir -p $(SPRT)
	$(call compile,$(NATIVE),native,$(SPRT)/new$(SUFFIX))
	@$(call build-revision,$(BASE)); \
	new=tree-$$(git hash-object $(SPRT)/new$(SUFFIX) | cut -c 1-10); \
	mv -f $(SPRT)/new$(SUFFIX) $(SPRT)/$$new$(SUFFIX); \
	./nullarbor-tuner$(SUFFIX) match --engine "cmd=$(SPRT)/$$new$(SUFFIX),name=new,option.Hash=$(HASH)" \
		--engine "cmd=$$built,name=$$short,option.Hash=$(HASH)" \
		$(LIMIT) --sprt=$(BOUNDS) --book $(BOOK) $(ADJUDICATION) $(MATCH)

# With the tuner that the workers have, whatever this tree would build.
sprt-cluster:
	@test -x "$(TUNER)" || { echo "no $(TUNER): make tuner, in the revision that the workers run, or TUNER=<file>" >&2; exit 1; }
	@test -z "$$(git status --porcelain --untracked-files=no)" || { echo "workers build commits, and this tree has changes: commit them" >&2; exit 1; }
	@$(call build-revision,HEAD); new="cmd=$$built,revision=$$commit,name=new"; \
	$(call build-revision,$(BASE)); base="cmd=$$built,revision=$$commit,name=$$short"; \
	"$(abspath $(TUNER))" match --cluster "$(CLUSTER)" --engine "$$new,option.Hash=$(HASH)" --engine "$$base,option.Hash=$(HASH)" \
		$(LIMIT) --sprt=$(BOUNDS) --book $(BOOK) $(ADJUDICATION) $(MATCH)

revision: ## Build the engine of REV=<revision> and print its path (the builder of workers: tuner/cluster/build-revision)
	@test -n "$(REV)" || { echo "REV is missing: make revision REV=<revision>" >&2; exit 1; }
	@git cat-file -e "$(REV)^{commit}" 2> /dev/null || git fetch --quiet --all >&2
	@$(call build-revision,$(REV)); echo "$$built"

screenshots: build tuner ## Make the pictures of the documents anew, where the programs are installed
	tests/screenshots "$(BINARY)" "$(TUNER)" tuner/plots

##@ Tidy
fmt: ## Format the sources
	cargo fmt --all

clean: ## Remove all that was built
	cargo clean
	rm -f nullarbor$(SUFFIX) nullarbor-tuner$(SUFFIX) nullarbor-universal$(SUFFIX)

help: ## List the targets
	@awk -F ':[^#]*## ' '/^##@ /{ print "\n" substr($$0, 5) ":" } /^[a-z0-9 -]*:[^#]*## /{ printf "  %-30s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
