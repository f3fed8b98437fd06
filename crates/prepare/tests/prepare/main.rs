//! Ranges, worktrees, builds and the artefact cache, with real repositories created by the tests.

mod building;
mod given;
mod hunks;
mod keys;
mod killed;
mod proposals;
mod ranges;
mod scratch;
mod sites;
mod trouble;
mod untouched;
