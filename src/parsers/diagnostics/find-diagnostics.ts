// Finds diagnostics of compilers and linters in a command's output and converts them to failures.

import type { Failure } from "#spec/verdict";
import { counted } from "#text/format";
import { linesOf } from "../shared/lines.ts";
import { inFolder, type PackageOutput } from "../shared/package-outputs.ts";
import { limitFailures, withStableIds } from "../shared/report.ts";
import { arrowBlock } from "./arrow-block.ts";
import { biome } from "./biome.ts";
import { compilerLine } from "./compiler-line.ts";
import { conftestCrash } from "./conftest-crash.ts";
import { type Diagnostic, type DiagnosticReader, failureFrom } from "./diagnostic.ts";
import { esbuild } from "./esbuild.ts";
import { eslint } from "./eslint.ts";
import { goBuild } from "./go-build.ts";
import { jestExit } from "./jest-exit.ts";
import { jvmBuild } from "./jvm-build.ts";
import { linker } from "./linker.ts";
import { nodeCrash } from "./node-crash.ts";
import { perlCrash } from "./perl-crash.ts";
import { phpCrash } from "./php-crash.ts";
import { pythonCrash } from "./python-crash.ts";
import { pythonLint } from "./python-lint.ts";
import { rollup } from "./rollup.ts";
import { rubocop } from "./rubocop.ts";
import { rubyCrash } from "./ruby-crash.ts";
import { shellcheck } from "./shellcheck.ts";
import { typescript } from "./typescript.ts";
import { webpack } from "./webpack.ts";

/** The first reader that recognises a line wins. */
const READERS: readonly DiagnosticReader[] = [
  typescript,
  compilerLine,
  linker,
  eslint,
  biome,
  arrowBlock,
  pythonLint,
  goBuild,
  jvmBuild,
  shellcheck,
  esbuild,
  webpack,
  rollup,
  rubocop,
  conftestCrash,
  jestExit,
  pythonCrash,
  nodeCrash,
  rubyCrash,
  phpCrash,
  perlCrash,
];

export interface Diagnostics {
  /** "12 errors in 4 files (tsc)" */
  readonly summary: string;
  readonly failures: readonly Failure[];
  /** Unrecognised lines beside a crash: they may explain it. */
  readonly rest: string;
}

/** Warnings count as failures only if a tool says that it fails on warnings. */
const FAILS_ON_WARNINGS =
  /^ESLint found too many warnings|warnings found and -Werror specified|warnings being treated as errors|Some warnings were emitted/m;

/** `crashes: false` ignores crashes: passing tests may print stacks of expected errors. */
export function findDiagnostics(output: string, { crashes = true } = {}): Diagnostics | undefined {
  return diagnosticsFrom(readAll(linesOf(output)), FAILS_ON_WARNINGS.test(output), crashes);
}

/** Finds diagnostics in every package of a monorepo, with paths relative to the workspace. */
export function findPackageDiagnostics(
  packages: readonly PackageOutput[],
  { crashes = true } = {},
): Diagnostics | undefined {
  const outputs = packages.map(({ stdout, stderr }) => `${stdout}\n${stderr}`);
  const read = outputs.map((output, at) => {
    const { diagnostics, rest } = readAll(linesOf(output));
    return { diagnostics: diagnostics.map((each) => inPackage(each, packages[at])), rest };
  });
  const all = {
    diagnostics: read.flatMap((each) => each.diagnostics),
    rest: read.flatMap(({ rest }) => rest),
  };
  const failsOnWarnings = outputs.some((output) => FAILS_ON_WARNINGS.test(output));
  return diagnosticsFrom(all, failsOnWarnings, crashes);
}

function inPackage(diagnostic: Diagnostic, owner: PackageOutput | undefined): Diagnostic {
  const { name = "", folder } = owner ?? {};
  if (folder !== undefined) return { ...diagnostic, file: inFolder(diagnostic.file, folder) };
  return name === "" ? diagnostic : { ...diagnostic, package: name };
}

interface ReadOutput {
  readonly diagnostics: readonly Diagnostic[];
  readonly rest: readonly string[];
}

function diagnosticsFrom(
  { diagnostics, rest }: ReadOutput,
  failsOnWarnings: boolean,
  crashes: boolean,
): Diagnostics | undefined {
  const errors = diagnostics.filter(({ severity, crash }) => severity === "error" && (crashes || !crash));
  const warnings = failsOnWarnings ? diagnostics : [];
  // Ignores crashes beside compile errors, because the compile errors mostly cause them.
  const compiled = errors.filter(({ crash }) => !crash);
  const shown = distinct(compiled.length > 0 ? compiled : errors.length > 0 ? errors : warnings);
  if (shown.length === 0) return undefined;
  return {
    summary: summaryOf(shown),
    failures: limitFailures(withStableIds(shown.map(failureFrom))),
    rest: compiled.length === 0 && errors.length > 0 ? rest.join("\n") : "",
  };
}

function readAll(lines: readonly string[]): ReadOutput {
  const diagnostics: Diagnostic[] = [];
  const rest: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const match = readAt(lines, at);
    if (match === undefined) rest.push(lines[at++] ?? "");
    else {
      diagnostics.push(...match.diagnostics);
      at = match.next;
    }
  }
  return { diagnostics, rest };
}

function readAt(lines: readonly string[], at: number): ReturnType<DiagnosticReader> {
  for (const read of READERS) {
    const match = read(lines, at);
    if (match !== undefined) return match;
  }
  return undefined;
}

// Maven and cargo print the same diagnostic twice, with the same location.
function distinct(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const unique = new Map<string, Diagnostic>();
  for (const each of diagnostics) {
    const { file, line, column, code, message, context, package: owner } = each;
    const key = JSON.stringify([owner, file, line, column ?? context, code, message]);
    if (!unique.has(key)) unique.set(key, each);
  }
  return [...unique.values()];
}

function summaryOf(diagnostics: readonly Diagnostic[]): string {
  const noun = diagnostics.some(({ severity }) => severity === "error") ? "error" : "warning";
  const files = new Set(diagnostics.map(({ file }) => file)).size;
  const tools = [...new Set(diagnostics.map(({ tool }) => tool))].join(", ");
  return `${counted(diagnostics.length, noun)} in ${counted(files, "file")} (${tools})`;
}
