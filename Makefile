# Every target says what it costs, then installs what it needs (Debian and Ubuntu: with apt; Rust: with
# rustup) in one go; on other systems it says what to install.
# CI runs `make test`.

RUST := scripts/with-rust
TARGET := $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(TARGET)/release
PREFIX ?= /usr/local

.PHONY: help build demo test bench cases site dist install uninstall clean

help:
	@echo 'make demo      build, compare two programs, and measure every commit of a third'
	@echo 'make build     the release binary, target/release/brisk'
	@echo 'make test      format, lints, documentation and all tests'
	@echo 'make bench     brisk beside its peers (an hour and more; wants an idle machine)'
	@echo 'make cases     every case study: claim against measured'
	@echo 'make site      the documentation as a site, in target/site'
	@echo 'make dist      static tarball, Debian package, wheel and crates, each installed and tried'
	@echo 'make install   binary, manual page and completions below PREFIX ($(PREFIX))'
	@echo 'make uninstall removes them'
	@echo 'make clean     removes what was built, and what demo, bench and cases left'

build:
	@scripts/prepare build
	$(RUST) scripts/build

# Without what speaks with PostgreSQL, which is a fifth of the processor time of a build.
demo:
	@scripts/prepare demo
	$(RUST) scripts/build --no-default-features
	scripts/demo $(RELEASE)/brisk

test:
	@scripts/prepare test
	$(RUST) scripts/test

bench:
	@scripts/prepare bench
	$(RUST) scripts/build
	$(RUST) benches/run

cases:
	@scripts/prepare cases
	$(RUST) scripts/build
	cases/run $(RELEASE)/brisk

# The documentation, as a browser shows it. Dead links are errors.
site:
	$(RUST) cargo run --quiet --locked -p brisk-site -- $(TARGET)/site

dist:
	@scripts/prepare dist
	$(RUST) scripts/dist/all

# Builds nothing, so that `sudo make install` needs no compiler.
install:
	@test -x $(RELEASE)/brisk || { \
	    printf 'error: nothing is built yet\n\nhint: run `make build` first\n' >&2; exit 2; }
	install -D $(RELEASE)/brisk $(DESTDIR)$(PREFIX)/bin/brisk
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(RELEASE)/brisk man > $(DESTDIR)$(PREFIX)/share/man/man1/brisk.1
	$(RELEASE)/brisk completions bash \
	    > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/brisk
	$(RELEASE)/brisk completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_brisk
	$(RELEASE)/brisk completions fish \
	    > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/brisk.fish

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/brisk $(DESTDIR)$(PREFIX)/share/man/man1/brisk.1 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/brisk \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_brisk \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/brisk.fish

# A target folder that CARGO_TARGET_DIR names may hold what is not ours.
clean:
	rm -rf target .bench .demo .cases tests/pages/node_modules
