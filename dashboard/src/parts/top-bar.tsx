// Top bar: navigation, help and theme.
import { place } from "../router.ts";
import { useStore } from "../store.ts";
import { nextTheme, theme } from "../theme.ts";
import { views } from "../views.ts";
import { Help } from "./help.tsx";

const SIGNS = { auto: "◐", dark: "☾", light: "☀" } as const;

export function TopBar() {
  const { path } = useStore(place);
  const chosen = useStore(theme);
  return (
    <header class="top">
      <a class="brand" href="#/">
        Converge
      </a>
      <nav aria-label="Main">
        {views.flatMap((view) =>
          view.nav === undefined ? (
            []
          ) : (
            <a key={view.path} href={`#${view.path}`} aria-current={view.path === path ? "page" : undefined}>
              {view.nav}
            </a>
          ),
        )}
      </nav>
      <Help />
      <button
        type="button"
        class="quiet"
        aria-label={`Colours: ${chosen}`}
        title={`Colours: ${chosen}`}
        onClick={nextTheme}
      >
        <span aria-hidden="true">{SIGNS[chosen]}</span>
      </button>
    </header>
  );
}
