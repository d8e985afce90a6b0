// Which variables are named like a secret.

const WORDS = new Set(
  "key keys token tokens secret secrets password passwords passwd pwd passphrase credential credentials auth private".split(
    " ",
  ),
);

/** Written without a gap: PGPASSWORD, APIKEY, AUTHTOKEN. */
const GLUED = /(?:password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|credentials?)$/;

/** The last word of names that say something about a secret and do not hold one: AUTH_TYPE, TOKEN_URL. */
const ABOUT = new Set(
  (
    "algorithm audience enabled endpoint header host issuer length limit method mode name port provider " +
    "scope scopes size timeout ttl type uri url user username version"
  ).split(" "),
);

/** Of what is named so, people think of a password: there a number is no setting. */
const PASSWORD = /pass|pwd|secret/i;

/** "dbPassword" and "DB_PASSWORD" are db and password; "KEYBOARD" and "AUTHOR" stay whole. */
function wordsOf(name: string): string[] {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return words.map((word) => word.toLowerCase());
}

export function isNamedSecret(name: string): boolean {
  if (name === "PWD" || name === "OLDPWD") return false;
  const words = wordsOf(name);
  if (ABOUT.has(words.at(-1) ?? "")) return false;
  return words.some((word) => WORDS.has(word) || GLUED.test(word));
}

export function isNamedPassword(name: string): boolean {
  return PASSWORD.test(name);
}

/** It says where a secret lies: SSH_AUTH_SOCK, TLS_KEY_FILE. */
export function isNamedPlace(name: string): boolean {
  return /^(?:file|filename|path|dir|directory|folder|sock|socket|home)$/.test(wordsOf(name).at(-1) ?? "");
}
