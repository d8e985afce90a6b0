// Remembers the name of the user in this browser.

const KEY = "converge-who";

export function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

export function remember(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Without storage the user is asked again.
  }
}
