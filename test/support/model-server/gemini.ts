// Google's Gemini API, used by Gemini CLI.
import type { Protocol, Reply } from "./protocol.ts";
import { type Complaint, tokensOf } from "./script.ts";

const GOOGLE = "type.googleapis.com/google.rpc";

const COMPLAINTS: Record<Complaint, [number, string, string, object[]]> = {
  "rate-limit": [
    429,
    "RESOURCE_EXHAUSTED",
    "You exceeded your current quota. Please retry in 2s.",
    [
      {
        "@type": `${GOOGLE}.QuotaFailure`,
        violations: [
          {
            quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
            quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
            quotaValue: "15",
          },
        ],
      },
      { "@type": `${GOOGLE}.RetryInfo`, retryDelay: "2s" },
    ],
  ],
  overloaded: [503, "UNAVAILABLE", "The model is overloaded. Please try again later.", []],
  quota: [
    429,
    "RESOURCE_EXHAUSTED",
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.",
    [
      {
        "@type": `${GOOGLE}.QuotaFailure`,
        violations: [
          {
            quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
            quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
            quotaValue: "250",
          },
        ],
      },
    ],
  ],
  auth: [
    400,
    "INVALID_ARGUMENT",
    "API key not valid. Please pass a valid API key.",
    [{ "@type": `${GOOGLE}.ErrorInfo`, reason: "API_KEY_INVALID", domain: "googleapis.com" }],
  ],
  "context-too-long": [
    400,
    "INVALID_ARGUMENT",
    "The input token count (1215437) exceeds the maximum number of tokens allowed (1048576).",
    [],
  ],
  "unknown-model": [
    404,
    "NOT_FOUND",
    "models/no-such-model is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.",
    [],
  ],
};

function whole({ answer, calls, id, path }: Reply) {
  const { input, output, cached } = tokensOf(answer);
  const text = answer.say === undefined ? [] : [{ text: answer.say }];
  const parts = [...text, ...calls.map(({ name, input: args }) => ({ functionCall: { name, args } }))];
  return {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: input,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    },
    modelVersion: /models\/([^:]+)/.exec(path)?.[1],
    responseId: id,
  };
}

export const gemini: Protocol = {
  name: "gemini",
  path: /^\/v1beta\/models\/[^/:]+:(streamGenerateContent|generateContent)$/,
  counting: { path: /^\/v1beta\/models\/[^/:]+:countTokens$/, answer: { totalTokens: 1000 } },
  tools: (body) =>
    (body?.tools ?? [])
      .flatMap((tool: { functionDeclarations?: object[] }) => tool.functionDeclarations ?? [])
      .map((tool: { name: string; parametersJsonSchema?: object; parameters?: object }) => ({
        name: tool.name,
        schema: tool.parametersJsonSchema ?? tool.parameters,
      })),
  streams: ({ path }) => path.includes(":streamGenerateContent"),
  whole,
  stream: (reply) => ({ events: [{ data: whole(reply) }] }),
  refuse: (kind) => {
    const [code, status, message, details] = COMPLAINTS[kind];
    return { status: code, body: { error: { code, message, status, details } } };
  },
};
