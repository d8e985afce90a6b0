import { expect, it } from "vitest";
import { type FirstDay, replayFirstDay } from "../support/first-day.ts";

const LEAP = (century: string) => `def is_leap(year):
    if year % 4 != 0:
        return False
${century}    return True


def days(year):
    return 366 if is_leap(year) == True else 365
`;

const TESTS = `from calendars.leap import days, is_leap


def test_common_year():
    assert not is_leap(2023)


def test_days():
    assert days(2024) == 366
`;

const NEW_TESTS = `

def test_century():
    assert not is_leap(1900)


def test_days_of_a_century():
    assert days(2100) == 365
`;

const PYTHON: Omit<FirstDay, "gate"> = {
  before: {
    "calendars/__init__.py": "",
    "calendars/leap.py": LEAP(""),
    "tests/test_leap.py": TESTS,
    "run.sh": "#!/bin/sh\nexec python3 -m pytest -q tests\n",
  },
  fix: {
    "calendars/leap.py": LEAP("    if year % 100 == 0 and year % 400 != 0:\n        return False\n"),
    "tests/test_leap.py": TESTS + NEW_TESTS,
  },
  failing: ["test_century", "test_days_of_a_century"],
};

it.each(["python3 -m pytest -q", "./run.sh"])("Python with %s", async (gate) => {
  expect.hasAssertions();
  await replayFirstDay({ ...PYTHON, gate });
});
