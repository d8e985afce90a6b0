// Colours by meaning, and the symbols that the terminal supports. Without colour, there are no control codes at all.
import picocolors from "picocolors";
import { ASCII, type Glyphs, UNICODE } from "./glyphs.ts";

export type Tone = "strong" | "faint" | "good" | "bad" | "warn" | "loud" | "accent";

export interface Style {
  readonly paint: Readonly<Record<Tone, (text: string) => string>>;
  readonly glyphs: Glyphs;
}

/** Style and width of the output. */
export interface Screen {
  readonly style: Style;
  readonly columns: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** NO_COLOR overrides FORCE_COLOR, which overrides TERM and the TTY check. */
export function wantsColor(stream: { readonly isTTY?: boolean }, environment: Environment): boolean {
  if (environment.NO_COLOR) return false;
  const forced = environment.FORCE_COLOR;
  if (forced) return forced !== "0" && forced !== "false";
  return stream.isTTY === true && environment.TERM !== "dumb";
}

export function showsUnicode(environment: Environment): boolean {
  const term = environment.TERM;
  if (term === "dumb" || term === "linux") return false;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG || "";
  return /utf-?8/i.test(locale);
}

export function createStyle(options: { readonly color: boolean; readonly unicode: boolean }): Style {
  const colors = picocolors.createColors(options.color);
  return {
    paint: {
      strong: colors.bold,
      faint: colors.dim,
      good: colors.green,
      bad: colors.red,
      warn: colors.yellow,
      loud: (text) => colors.bold(colors.yellow(text)),
      accent: colors.cyan,
    },
    glyphs: options.unicode ? UNICODE : ASCII,
  };
}

export function styleFor(stream: { readonly isTTY?: boolean }, environment: Environment): Style {
  return createStyle({ color: wantsColor(stream, environment), unicode: showsUnicode(environment) });
}

/** Standard output; `plainColumns` is the width without a terminal. */
export function screenFor(plainColumns: number): Screen {
  return { style: styleFor(process.stdout, process.env), columns: process.stdout.columns || plainColumns };
}
