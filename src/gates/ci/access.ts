// Chooses the credentials: a token from the environment, or else `gh`. Masks the token in every response.

import { CannotJudge } from "./cannot-judge.ts";
import { findGh, gh } from "./gh.ts";
import { http } from "./http.ts";
import type { ApiResponse, Transport } from "./transport.ts";

const USUAL_VARIABLES = ["GITHUB_TOKEN", "GH_TOKEN"];

export interface Access {
  readonly send: Transport;
  /** For messages: "the token in GITHUB_TOKEN". */
  readonly name: string;
  /** What to do when it is rejected. */
  readonly renew: string;
}

export interface AccessOptions {
  readonly base: URL;
  readonly tokenEnv: string | undefined;
  readonly workspace: string;
  readonly run: string;
  readonly files: string;
}

/** Masks the token in responses, in case the server repeats it in an error or a log. */
function masked(send: Transport, token: string): Transport {
  return async (request, signal): Promise<ApiResponse> => {
    const response = await send(request, signal);
    return { ...response, body: response.body.replaceAll(token, "***") };
  };
}

function withToken(base: URL, variable: string, token: string): Access {
  // Validates before building the header, because the error about an invalid header would quote the token.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CannotJudge(`${variable} contains characters that no token has; set it to the token alone`);
  return {
    send: masked(http(base, token), token),
    name: `the token in ${variable}`,
    renew: `set ${variable} to a valid token`,
  };
}

export function accessFor({ base, tokenEnv, workspace, run, files }: AccessOptions): Access {
  const variables = tokenEnv === undefined ? USUAL_VARIABLES : [tokenEnv];
  for (const variable of variables) {
    const token = process.env[variable]?.trim();
    if (token) return withToken(base, variable, token);
  }
  if (tokenEnv !== undefined)
    throw new CannotJudge(`no token: ${tokenEnv} is not set; set it, or remove tokenEnv to use gh`);
  const program = findGh(process.env.PATH ?? "", workspace);
  if (program === undefined)
    throw new CannotJudge(
      `no token: set ${USUAL_VARIABLES.join(" or ")} to a token with the permissions actions:read and checks:read, or install gh and run "gh auth login"`,
    );
  return {
    send: gh({ program, run, files }),
    name: "gh",
    renew: `run "gh auth login", or set ${USUAL_VARIABLES[0]}`,
  };
}
