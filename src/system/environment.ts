// Allowlist of environment variables for child processes: a variable that is not listed does not leak.

export type Env = Readonly<Record<string, string | undefined>>;

const PERSON = "HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM";
const NETWORK =
  "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy " +
  "SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE";
const TOOLCHAINS =
  "CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN GOPATH GOROOT GOMODCACHE GOCACHE GOPROXY JAVA_HOME MAVEN_HOME M2_HOME " +
  "GRADLE_HOME GRADLE_USER_HOME SDKMAN_DIR ANDROID_HOME PYENV_ROOT RBENV_ROOT GEM_HOME NVM_DIR NVM_BIN VOLTA_HOME " +
  "FNM_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR BUN_INSTALL DENO_DIR PNPM_HOME COREPACK_HOME DOTNET_ROOT";

const USUAL = new Set(`${PERSON} ${NETWORK} ${TOOLCHAINS}`.split(" "));

/** Whether the variable belongs to the user's usual set-up: language, proxies, tool locations. */
export const isUsualVariable = (name: string): boolean => USUAL.has(name) || /^LC_[A-Z]+$/.test(name);

/** Variables that change what other programs do, and Converge's own. */
const STEERS =
  /^(NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|BASH_ENV|ENV|PERL5LIB|PERL5OPT|RUBYOPT|RUBYLIB|GIT_.*|CONVERGE_.*)$/i;
const IDENTITY = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)$/;

/** Whether the variable is blocked for gates in a clean room, even when the user allows it by name. */
export function isNeverAllowed(name: string): boolean {
  return STEERS.test(name) || /^(PATH|npm_config_.*)$/i.test(name);
}

/**
 * Whether the variable is blocked for agents. An agent needs PATH and the npm settings, and may commit under the user's
 * name; other GIT_* variables would point its git at another repository or make it run a command.
 */
export function isNeverForAgents(name: string): boolean {
  return STEERS.test(name) && !IDENTITY.test(name);
}

/** What an agent needs besides the usual set-up: programs, temporary files, settings, an active virtual environment. */
const WORKING =
  /^(PATH|TMPDIR|TMP|TEMP|COLORTERM|XDG_[A-Z_]+|npm_config_.*|VIRTUAL_ENV|CONDA_PREFIX|CONDA_DEFAULT_ENV|GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL))$/i;

/** Matches `NAME`, or `PREFIX_*` for every name with that prefix. */
function matches(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Returns the variables an agent gets: the usual ones, and those that match its patterns. */
export function agentEnvironment(env: Env, patterns: readonly string[]): Record<string, string> {
  const passes = (name: string) =>
    !isNeverForAgents(name) &&
    (isUsualVariable(name) || WORKING.test(name) || patterns.some((pattern) => matches(name, pattern)));
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && passes(entry[0]),
    ),
  );
}

/**
 * Returns the environment changes that make translated programs (make, gcc, bash) print English, for output that is parsed.
 * LC_ALL overrides every other category, so its value moves to LANG, and the overridden categories are removed.
 */
export function englishMessages(env: Env): Record<string, string | undefined> {
  const english = { LC_MESSAGES: "C.UTF-8", LANGUAGE: undefined };
  if (!env.LC_ALL) return english;
  const overridden = Object.keys(env).filter((name) => name.startsWith("LC_"));
  return {
    ...Object.fromEntries(overridden.map((name) => [name, undefined])),
    LANG: env.LC_ALL,
    ...english,
  };
}
