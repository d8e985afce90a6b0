// Colour theme: follows the system until the user chooses one.
import { store } from "./store.ts";

export type Theme = "auto" | "dark" | "light";
const KEY = "converge-theme";
const THEMES: readonly Theme[] = ["auto", "dark", "light"];

function remembered(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

export const theme = store<Theme>(remembered());

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get();
}

export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.get()) + 1) % THEMES.length] ?? "auto";
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  theme.set(next);
  applyTheme();
}

/** Calls the listener when the theme changes, by the user or the system. */
export function onColours(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", listener);
  const forget = theme.subscribe(listener);
  return () => {
    system.removeEventListener("change", listener);
    forget();
  };
}
