import { it } from "vitest";
import { replayFirstDay } from "../support/first-day.ts";

const LIBRARY = (case_: string) => `/// Counts the vowels of a text.
pub fn vowels(text: &str) -> usize {
    text.chars()
        .filter(|letter| "aeiou".contains(${case_}))
        .count()
}

pub fn is_quiet(text: &str) -> bool {
    vowels(text) == 0
}
`;

const TESTS = `use vowels::{is_quiet, vowels};

#[test]
fn counts_vowels() {
    assert_eq!(vowels("banana"), 3);
}

#[test]
fn consonants_are_quiet() {
    assert!(is_quiet("xyz"));
}
`;

const NEW_TESTS = `
#[test]
fn counts_capital_vowels() {
    assert_eq!(vowels("Anna"), 2);
}

#[test]
fn a_capital_is_not_quiet() {
    assert!(!is_quiet("OK"));
}
`;

// Without a .gitignore: what cargo writes to target/ must not count as the agent's work.
it("Rust with cargo test", () =>
  replayFirstDay({
    gate: "cargo test",
    before: {
      "Cargo.toml": '[package]\nname = "vowels"\nversion = "0.1.0"\nedition = "2021"\n',
      "Cargo.lock": 'version = 3\n\n[[package]]\nname = "vowels"\nversion = "0.1.0"\n',
      "src/lib.rs": LIBRARY("*letter"),
      "tests/vowels.rs": TESTS,
    },
    fix: { "src/lib.rs": LIBRARY("letter.to_ascii_lowercase()"), "tests/vowels.rs": TESTS + NEW_TESTS },
    failing: ["counts_capital_vowels", "a_capital_is_not_quiet"],
  }));
