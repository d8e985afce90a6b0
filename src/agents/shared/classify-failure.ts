// Classifies error messages of CLIs and services. Only for errors: normal output may contain the same words.
import { oneLine } from "#text/plain-text";
import type { Failed } from "./driver.ts";
import { retryAfterMs } from "./reset-time.ts";

type Kind = Pick<Failed, "failure" | "blockedBy">;

const CHARS = 400;

/** The first match wins: quota before login, login before rate limits. */
const PATTERNS: readonly (readonly [RegExp, Kind])[] = [
  [
    /insufficient[_ ]quota|credit balance is too low|exceeded your current quota|billing (?:hard )?limit|payment required|out of credits|credits exhausted|insufficient credits|quota (?:exceeded|exhausted)|usage limit|hit your (?:\w+ )?limit|(?:hour|daily|weekly|monthly|session) limit (?:reached|hit)/i,
    { failure: "blocked", blockedBy: "quota" },
  ],
  [/exhausted your (?:\w+ )*(?:quota|capacity)/i, { failure: "blocked", blockedBy: "quota" }],
  [/token count.{0,20} exceeds/i, { failure: "context-too-long" }],
  [/must specify the \w*API_KEY|no auth type is selected/i, { failure: "blocked", blockedBy: "login" }],
  // Another iteration cannot fix these.
  [
    /model_not_found|unknown model|issue with the selected model|\bmodels?\b[^\n]{0,120}\b(?:does not exist|not found|is not supported|not available)/i,
    { failure: "blocked" },
  ],
  [
    /context[_ ]length[_ ]exceeded|prompt (?:is|as) too long|hit a token limit|maximum context length|input (?:token count )?exceeds|context window|too many (?:input )?tokens/i,
    { failure: "context-too-long" },
  ],
  [
    /invalid (?:x-)?api[- ]key|incorrect api key|not (?:logged|signed) in|please run \/?login|authentication[_ ]?(?:error|failed)|no api keys? (?:was |were )?(?:found|provided)|no authentication information|authentication required|not able to authenticate|unauthori[sz]ed|\b401\b|api[_ ]key.*(?:not (?:set|found|valid)|missing|required)|missing environment variable: \S*(?:key|token)|set an auth method|no auth(?:entication)? (?:method|credentials)|(?:login|log in|sign in) (?:required|expired|again)|token (?:has )?(?:been )?(?:expired|revoked)/i,
    { failure: "blocked", blockedBy: "login" },
  ],
  [
    /\b429\b|rate[-_ ]?limit|too many requests|resource[_ ]exhausted|overloaded|\b529\b|\b503\b|service unavailable|temporarily unavailable|at capacity|high demand|internal server error|bad gateway|gateway time-?out|unable to connect to api|stream disconnected before/i,
    { failure: "rate-limited" },
  ],
];

/** Returns undefined for an unknown error. A quota with a reset time counts as a rate limit, because waiting helps. */
export function classify(error: string, now: Date): Failed | undefined {
  const kind = PATTERNS.find(([words]) => words.test(error))?.[1];
  if (!kind) return undefined;
  const wait = retryAfterMs(error, now);
  const reason = oneLine(error, CHARS);
  if (kind.blockedBy === "quota" && wait !== undefined)
    return { failure: "rate-limited", reason, retryAfterMs: wait };
  return {
    ...kind,
    reason,
    ...(kind.failure === "rate-limited" && wait !== undefined && { retryAfterMs: wait }),
  };
}
