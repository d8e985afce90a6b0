// View whose code is loaded on first use.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, wordsOf } from "../api.ts";
import type { View, ViewProps } from "../views.ts";
import { Notice } from "./notice.tsx";

const loaded = new Map<View, ComponentType<ViewProps>>();

const RETRY_MS = 3_000;

/** Reloads the whole page once the server answers: it may serve other files by then. */
function reloadWhenBack(): () => void {
  const timer = setInterval(() => {
    get("/health").then(
      () => location.reload(),
      () => {},
    );
  }, RETRY_MS);
  return () => clearInterval(timer);
}

export function LazyView({ view, ...props }: ViewProps & { readonly view: View }) {
  const [, setVersion] = useState(0);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (loaded.has(view)) return;
    setError(undefined);
    view.load().then((module) => {
      loaded.set(view, module.default);
      setVersion((version) => version + 1);
    }, setError);
  }, [view]);
  useEffect(() => (error === undefined ? undefined : reloadWhenBack()), [error]);
  const Component = loaded.get(view);
  if (Component) return <Component {...props} />;
  if (error === undefined) return null;
  return (
    <Notice tone="bad" title="Cannot load this view">
      <p>{wordsOf(error)}. The page reloads when the server is back.</p>
    </Notice>
  );
}
