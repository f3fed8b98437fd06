# Every target installs what it needs (Debian and Ubuntu: with apt; Rust: with rustup) and says so.
# CI runs `make test`.

RUST := scripts/with-rust
RELEASE := $(or $(CARGO_TARGET_DIR),target)/release
PREFIX ?= /usr/local

.PHONY: help build demo test bench cases site install

help:
	@echo 'make demo      build, compare two programs, and measure every commit of a third'
	@echo 'make build     the release binary, target/release/brisk'
	@echo 'make test      format, lints, documentation and all tests'
	@echo 'make bench     brisk beside its peers (an hour and more; wants an idle machine)'
	@echo 'make cases     every case study: claim against measured'
	@echo 'make site      the documentation as a site, in target/site'
	@echo 'make install   binary, manual page and completions below PREFIX ($(PREFIX))'

build:
	$(RUST) cargo build --release --locked

demo: build
	scripts/demo $(RELEASE)/brisk

test:
	$(RUST) scripts/test

bench: build
	$(RUST) benches/run

cases: build
	cases/run $(RELEASE)/brisk

# The documentation, as a browser shows it. Dead links are errors.
site:
	$(RUST) cargo run --quiet --locked -p brisk-site -- $(or $(CARGO_TARGET_DIR),target)/site

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
