import { describe, expect, it } from "vitest";
import { isErrorLine } from "#text/error-lines";
import { isWrapperNotice } from "#text/wrapper-notices";

describe("isErrorLine", () => {
  it.each([
    "FAIL 1900: want no, got yes",
    "FAILED tests/a.py::test_b",
    "error: linking with `cc` failed",
    "TypeError: x is not a function",
    "lib/x.rb:2:in `a': bad thing (ArgumentError)",
    "thread 'main' panicked at src/main.rs:3:5:",
    "not ok 3 - adds",
    "  ✖ adds two numbers",
    "expected 3 but got 4",
    "sh: 1: vitest: not found",
    "cp: cannot stat 'a': No such file or directory",
    "Segmentation fault (core dumped)",
    "2 tests failed in 3 files",
    "npm error enoent Could not read package.json",
    "make: *** No rule to make target 'tset'.  Stop.",
    "make: *** [Makefile:2: test] Segmentation fault",
  ])("accepts %j", (line) => {
    expect(isErrorLine(line)).toBe(true);
  });

  it.each([
    "",
    "Compiling app v0.1.0",
    "0 errors, 0 warnings",
    "no errors found",
    "Failures: 0",
    "✓ throws an error when the file is missing",
    "ok 3 - reports a failure",
    "PASS src/error.test.ts",
    "> eslint --no-error-on-unmatched-pattern src",
    "$ run-tests --fail-fast",
    "warning: unused variable: `error`",
    "src/a.c:3:5: warning: undefined behaviour",
    "(node:12) DeprecationWarning: this will throw an error",
    '    throw new TypeError("no")',
    "    at handleError (src/errors.js:3:4)",
    "    at com.example.Errors.fail (Errors.java:12)",
    "\tfrom lib/errors.rb:4:in `fail'",
    "lib/errors.rb:2:in `missing'",
    " errors.ts    |   80.5 |   100 |  12 | 3,4",
  ])("rejects %j", (line) => {
    expect(isErrorLine(line)).toBe(false);
  });
});

describe("isWrapperNotice", () => {
  it.each([
    "npm warn Unknown user config",
    "npm notice New major version of npm available!",
    "npm error code ELIFECYCLE",
    "npm error path /project/packages/a",
    "npm error workspace a@1.0.0",
    "npm error command sh -c exit 3",
    "npm error command failed",
    "npm ERR! Test failed.  See above for more details.",
    "npm ERR! A complete log of this run can be found in: /x/debug-0.log",
    "npm ERR!     /home/me/.npm/_logs/2024-debug-0.log",
    "make: *** [Makefile:6: test] Error 1",
    "make: *** [test] Error 2",
    "make[2]: *** [Makefile:6: test] Fehler 1",
    "gmake[1]: *** [CMakeFiles/Makefile2:83: all] エラー 2",
    "make[1]: Entering directory '/project/sub'",
    "make[1]: Verzeichnis „/project/sub“ wird verlassen",
    "make: Target 'all' not remade because of errors.",
    "make: *** Waiting for unfinished jobs....",
    "make: [Makefile:3: clean] Error 1 (ignored)",
    "ninja: build stopped: subcommand failed.",
    "error Command failed with exit code 1.",
    "info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.",
    " ELIFECYCLE  Test failed. See above for more details.",
    "error: Recipe `test` failed on line 3 with exit code 1",
    'error: script "test" exited with code 1',
    "rake aborted!",
    'Command failed with status (1): [ruby -w -I"lib" ...]',
    "Tasks: TOP => test => test:regular",
    "(See full trace by running task with --trace)",
    "error: test failed, to rerun pass `--lib`",
    "error: could not compile `rs` (lib) due to 1 previous error",
    "* Try:",
    "> Run with --stacktrace option to get the stack trace.",
    "[ERROR] -> [Help 1]",
    "[ERROR] Re-run Maven using the -X switch to enable full debug logging.",
  ])("accepts %j", (line) => {
    expect(isWrapperNotice(line)).toBe(true);
    expect(isErrorLine(line)).toBe(false);
  });

  it.each([
    'npm error Missing script: "tset"',
    "make: *** No rule to make target 'tset'.  Stop.",
    "Makefile:3: *** missing separator.  Stop.",
    'error Command "tset" not found.',
    " ERR_PNPM_NO_SCRIPT  Missing script: tset",
    "error: Justfile does not contain recipe `tset`.",
    "error[E0308]: mismatched types",
    "Don't know how to build task 'tset'",
  ])("rejects %j, which names the cause", (line) => {
    expect(isWrapperNotice(line)).toBe(false);
  });
});
