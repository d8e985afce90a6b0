// Option schema of the sanity level: the files of each rule, and whether a finding fails the gate or only warns.
import * as z from "zod";
import { globs } from "#options/part-options";
import { wordsOr } from "#options/sentence";
import { DEBUG_PATTERNS } from "./debug-patterns.ts";
import { pattern } from "./safe-pattern.ts";
import { size } from "./size-option.ts";

const ONE_MEGABYTE = 1_000_000;
const EVERYTHING = ["**"];
const GENERATED = ["**/{dist,build,out,target,coverage,vendor,.venv,venv,__pycache__}/**"];
const SOURCE = [
  "**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,py,rb,go,rs,php,java,kt,scala,cs,ex,swift,dart,c,cc,cpp}",
];
const NEEDS_NO_TEST = ["**/*.d.ts", "**/*.config.*", "**/__init__.py", ...GENERATED];
const TESTS = [
  "**/{test,tests,__tests__,spec,specs}/**",
  "**/*.{test,spec}.*",
  "**/*_{test,spec}.*",
  "**/test_*",
  "**/*{Test,Tests,Spec}.*",
];

const ACTIONS = ["off", "warn", "fail"] as const;

type Rule<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>> & {
  readonly action: (typeof ACTIONS)[number];
};

/** Accepts an action alone or a map of options. The action `off` yields undefined. */
function rule<Shape extends z.ZodRawShape>(shape: Shape) {
  const full = z.strictObject({ action: z.enum(ACTIONS).default("fail"), ...shape });
  return z
    .union([z.enum(ACTIONS).transform((action) => full.parse({ action })), full], {
      error: wordsOr(ACTIONS, "{action: …}"),
    })
    .transform((value) => {
      const parsed = value as unknown as Rule<Shape>;
      return parsed.action === "off" ? undefined : { ...parsed, action: parsed.action };
    })
    .optional();
}

export const sanityOptions = z.strictObject({
  largeFiles: rule({
    limit: size.default(ONE_MEGABYTE),
    files: globs.default(EVERYTHING),
    except: globs.default(GENERATED),
  }),
  debug: rule({
    patterns: z
      .array(z.strictObject({ files: globs, pattern }))
      .min(1)
      .default(DEBUG_PATTERNS.map(({ files, ...rest }) => ({ ...rest, files: [...files] }))),
    except: globs.default(GENERATED),
  }),
  conflictMarkers: rule({ files: globs.default(EVERYTHING), except: globs.default([]) }),
  untested: rule({
    files: globs.default(SOURCE),
    except: globs.default(NEEDS_NO_TEST),
    tests: globs.default(TESTS),
  }),
});
