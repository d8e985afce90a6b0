// Hostile texts for injection tests of HTML, Markdown and XML, each with a canary word.
import fc from "fast-check";
import { anyCharacter } from "./any-character.ts";

export const CANARY = "evil";

const PIECES = [
  "<script>alert(1)</script>",
  "</style><img src=x onerror=alert(1)>",
  '" onmouseover="alert(1)',
  "' autofocus onfocus='x",
  "&lt;b&gt;&#60;",
  "<!-- --> ]]> <![CDATA[",
  "@evil @evil/team #12 fixes #1 GH-1",
  "[evil](javascript:alert(1)) ![evil](http://evil)",
  "| evil | \\| \\\\| \\",
  "`",
  "```",
  "``` evil\n/close\n# evil\n",
  "\n\n<details open>\n\n- evil\n",
  "\u001b[31m\u202e\u0000\ufffe\uffff",
  "diff --git a/x b/x",
  "$(evil) ${evil}",
  "https://evil.example www.evil.example",
] as const;

export const hostile: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: anyCharacter, maxLength: 12 })), {
    maxLength: 6,
  })
  .map((pieces) => `${pieces.join("")}${CANARY}`);

/** All pieces in one text. */
export const EVERYTHING: string = PIECES.join("");
