// Recognises variables that are named like a secret.

const WORDS = new Set(
  "key keys token tokens secret secrets password passwords passwd pwd passphrase credential credentials auth private".split(
    " ",
  ),
);

/** Words written together: PGPASSWORD, APIKEY, AUTHTOKEN. */
const SECRET_SUFFIX = /(?:password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|credentials?)$/;

/** Last words of names that describe a secret and do not hold one: AUTH_TYPE, TOKEN_URL. */
const DESCRIBING_WORDS = new Set(
  (
    "algorithm audience enabled endpoint header host issuer length limit method mode name port provider " +
    "scope scopes size timeout ttl type uri url user username version"
  ).split(" "),
);

/** Names that mean a password: there, even a number is a secret. */
const PASSWORD = /pass|pwd|secret/i;

/** Splits "dbPassword" and "DB_PASSWORD" into db and password; "KEYBOARD" and "AUTHOR" stay whole. */
function wordsOf(name: string): string[] {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return words.map((word) => word.toLowerCase());
}

export function isNamedSecret(name: string): boolean {
  if (name === "PWD" || name === "OLDPWD") return false;
  const words = wordsOf(name);
  if (DESCRIBING_WORDS.has(words.at(-1) ?? "")) return false;
  return words.some((word) => WORDS.has(word) || SECRET_SUFFIX.test(word));
}

export function isNamedPassword(name: string): boolean {
  return PASSWORD.test(name);
}

/** Whether the variable holds the path of a secret: SSH_AUTH_SOCK, TLS_KEY_FILE. */
export function isNamedPlace(name: string): boolean {
  return /^(?:file|filename|path|dir|directory|folder|sock|socket|home)$/.test(wordsOf(name).at(-1) ?? "");
}
