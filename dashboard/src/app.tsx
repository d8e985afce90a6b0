// The page: top bar and the current view.
import { useEffect, useRef } from "preact/hooks";
import { signedIn } from "./api.ts";
import { LazyView } from "./parts/lazy-view.tsx";
import { Notice } from "./parts/notice.tsx";
import { SignedOut } from "./parts/signed-out.tsx";
import { TopBar } from "./parts/top-bar.tsx";
import { match, type Params, place } from "./router.ts";
import { RunFrame } from "./run/run-frame.tsx";
import { useStore } from "./store.ts";
import { type View, views } from "./views.ts";

function find(path: string): { view: View; params: Params } | undefined {
  for (const view of views) {
    const params = match(view.path, path);
    if (params) return { view, params };
  }
  return undefined;
}

function CurrentView() {
  const { path, query } = useStore(place);
  const found = find(path);
  const title = found ? (found.params.id ?? found.view.title) : "Not found";
  useEffect(() => {
    document.title = `${title} · Converge`;
  }, [title]);
  if (!found)
    return (
      <Notice tone="plain" title="Page not found">
        <p>
          <a href="#/">All runs</a>
        </p>
      </Notice>
    );
  const { view, params } = found;
  const shown = <LazyView view={view} params={params} query={query} />;
  if (!view.path.startsWith("/runs/:id") || params.id === undefined) return shown;
  return (
    <RunFrame key={params.id} id={params.id} path={view.path}>
      {shown}
    </RunFrame>
  );
}

export function App() {
  const known = useStore(signedIn);
  const main = useRef<HTMLElement>(null);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar />
      <main id="main" ref={main} tabIndex={-1}>
        {known ? <CurrentView /> : <SignedOut />}
      </main>
    </>
  );
}
