// Error responses of both OpenAI protocols.
import type { Complaint } from "./script.ts";

const COMPLAINTS: Record<Complaint, [number, string, string | null, string]> = {
  "rate-limit": [
    429,
    "tokens",
    "rate_limit_exceeded",
    "Rate limit reached for this model in organization org-test on tokens per min (TPM): Limit 30000, Used 29500, Requested 4200. Please try again in 7.4s. Visit https://platform.openai.com/account/rate-limits to learn more.",
  ],
  overloaded: [
    503,
    "service_unavailable_error",
    "server_is_overloaded",
    "Our servers are currently overloaded. Please try again later.",
  ],
  quota: [
    429,
    "insufficient_quota",
    "insufficient_quota",
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
  ],
  auth: [
    401,
    "invalid_request_error",
    "invalid_api_key",
    "Incorrect API key provided: test-key. You can find your API key at https://platform.openai.com/account/api-keys.",
  ],
  "context-too-long": [
    400,
    "invalid_request_error",
    "context_length_exceeded",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  ],
  "unknown-model": [
    404,
    "invalid_request_error",
    "model_not_found",
    "The model `no-such-model` does not exist or you do not have access to it.",
  ],
};

export function refuse(kind: Complaint) {
  const [status, type, code, message] = COMPLAINTS[kind];
  return { status, body: { error: { message, type, param: null, code } } };
}
