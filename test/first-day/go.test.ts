import { it } from "vitest";
import { replayFirstDay } from "../support/first-day.ts";

const ROMAN = (table: string) => `package roman

var digits = []struct {
	value int
	text  string
}{
	{10, "X"}, ${table}{5, "V"}, {1, "I"},
}

// Format writes a number with Roman digits.
func Format(number int) string {
	if number == 0 {
		return ""
	}
	text := ""
	for _, digit := range digits {
		for number >= digit.value {
			text += digit.text
			number -= digit.value
		}
	}
	return text
}
`;

const TESTS = (more: string) => `package roman

import "testing"

func TestTen(t *testing.T) {
	if got := Format(12); got != "XII" {
		t.Errorf("got %q, want %q", got, "XII")
	}
}
${more}`;

const NEW_TESTS = `
func TestNine(t *testing.T) {
	if got := Format(9); got != "IX" {
		t.Errorf("got %q, want %q", got, "IX")
	}
}

func TestNineteen(t *testing.T) {
	if got := Format(19); got != "XIX" {
		t.Errorf("got %q, want %q", got, "XIX")
	}
}
`;

it("Go with make test", () =>
  replayFirstDay({
    gate: "make test",
    before: {
      "go.mod": "module example.org/roman\n\ngo 1.19\n",
      Makefile: ".PHONY: test\ntest:\n\tgo test ./...\n",
      "roman.go": ROMAN(""),
      "roman_test.go": TESTS(""),
    },
    fix: { "roman.go": ROMAN('{9, "IX"}, '), "roman_test.go": TESTS(NEW_TESTS) },
    failing: ["TestNine", "TestNineteen"],
  }));
