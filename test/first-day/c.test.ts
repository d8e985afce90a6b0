import { it } from "vitest";
import { replayFirstDay } from "../support/first-day.ts";

const LEAP = (rule: string) => `#include "leap.h"

int is_leap(int year)
{
    if (year == 0)
        return 1;
    return ${rule};
}
`;

const CHECK = (cases: string) => `#include <stdio.h>
#include "../src/leap.h"

static int failures = 0;

static void check(int year, int want)
{
    int got = is_leap(year);
    if (got == want)
        return;
    failures++;
    printf("FAIL: is_leap(%d): want %d, got %d\\n", year, want, got);
}

int main(void)
{
    check(2024, 1);
    check(2023, 0);
${cases}    return failures > 0;
}
`;

const MAKEFILE = `build/check: src/leap.c src/leap.h test/check.c
	mkdir -p build
	$(CC) -o $@ src/leap.c test/check.c

.PHONY: test
test: build/check
	./build/check
`;

// No .gitignore: the files that make writes to build/ must not count as the agent's work.
it("C with make test", () =>
  replayFirstDay({
    gate: "make test",
    before: {
      Makefile: MAKEFILE,
      "src/leap.h": "int is_leap(int year);\n",
      "src/leap.c": LEAP("year % 4 == 0"),
      "test/check.c": CHECK(""),
    },
    fix: {
      "src/leap.c": LEAP("year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)"),
      "test/check.c": CHECK("    check(1900, 0);\n    check(2100, 0);\n"),
    },
    failing: ["is_leap(1900): want 0, got 1", "is_leap(2100): want 0, got 1"],
  }));
