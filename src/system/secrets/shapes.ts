// Recognises secrets by their shape, whatever the variable is called: service keys, passwords in URLs, private keys.

const SHAPES = [
  /(?<![A-Za-z0-9])sk-[\w-]{16,}/g,
  /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{20,}/g,
  /(?<![A-Za-z0-9])github_pat_\w{20,}/g,
  /(?<![A-Za-z0-9])glpat-[\w-]{16,}/g,
  /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}/g,
  /(?<![A-Za-z0-9])xox[a-z]-[\w-]{10,}/g,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])AIza[\w-]{30,}/g,
  /(?<![A-Za-z0-9])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{1,100000}-----END [A-Z ]{0,40}PRIVATE KEY-----/g,
];

const HEADER = /(?<![A-Za-z0-9])(?:bearer|basic|token) +([\w+/.~=-]{16,})/gi;

// The password stands between the colon and the last @ before the path.
const USERINFO = /[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/?#]{0,1000}:([^\s/?#]{1,1000})@/gi;

function decodePercent(text: string): string[] {
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
}

function passwordsIn(value: string): string[] {
  return [...value.matchAll(USERINFO)].flatMap(([, password = ""]) => [password, ...decodePercent(password)]);
}

/** Returns the parts of the value that have the shape of a secret. */
export function shapedSecrets(value: string): string[] {
  const shaped = SHAPES.flatMap((shape) => [...value.matchAll(shape)].map(([found]) => found));
  const headers = [...value.matchAll(HEADER)].map(([, found = ""]) => found);
  return [...shaped, ...headers, ...passwordsIn(value)];
}
