// The environment of a clean room: only what is on the list, so that what nobody thought of cannot reach a gate.
import fs from "node:fs";
import path from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

const PERSON = "HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM";
const NETWORK =
  "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy " +
  "SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE";
const TOOLCHAINS =
  "CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN GOPATH GOROOT GOMODCACHE GOCACHE GOPROXY JAVA_HOME MAVEN_HOME M2_HOME " +
  "GRADLE_HOME GRADLE_USER_HOME SDKMAN_DIR ANDROID_HOME PYENV_ROOT RBENV_ROOT GEM_HOME NVM_DIR NVM_BIN VOLTA_HOME " +
  "FNM_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR BUN_INSTALL DENO_DIR PNPM_HOME COREPACK_HOME DOTNET_ROOT";

const ALLOWED = new Set(`${PERSON} ${NETWORK} ${TOOLCHAINS}`.split(" "));

const isAllowed = (name: string) => ALLOWED.has(name) || /^LC_[A-Z]+$/.test(name);

/** Variables that make other programs do something else; no list of allowed names lets them through. */
export function isNeverAllowed(name: string): boolean {
  return /^(NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|BASH_ENV|ENV|PERL5LIB|PERL5OPT|RUBYOPT|RUBYLIB|PATH|npm_config_.*|GIT_.*|CONVERGE_.*)$/i.test(
    name,
  );
}

/** Absolute folders that lie in none of the workspaces, also when a link is followed. */
export function cleanPath(searchPath: string, workspaces: readonly string[]): string {
  const isOutside = (folder: string) => {
    const names = [path.resolve(folder), realOf(folder)];
    return !workspaces.some((dir) => names.some((name) => lies(name, dir)));
  };
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.filter(isOutside).join(path.delimiter);
}

export interface Scrubbing {
  /** The folders that an agent works in. */
  readonly workspaces: readonly string[];
  /** Names of further variables. */
  readonly names: readonly string[];
  /** Folder for temporary files. */
  readonly tmp: string;
}

export function scrubbed(env: Env, { workspaces, names, tmp }: Scrubbing): Record<string, string> {
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (isAllowed(entry[0]) || names.includes(entry[0])) &&
      !isNeverAllowed(entry[0]),
  );
  return {
    ...Object.fromEntries(given),
    PATH: cleanPath(env.PATH ?? "", workspaces),
    TMPDIR: tmp,
    CI: "1",
  };
}

function lies(name: string, dir: string): boolean {
  return name === dir || name.startsWith(dir + path.sep);
}

function realOf(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
