// A view whose code is fetched when it is first looked at.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { wordsOf } from "../api.ts";
import type { View, ViewProps } from "../views.ts";
import { Notice } from "./notice.tsx";

const loaded = new Map<View, ComponentType<ViewProps>>();

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
  const Component = loaded.get(view);
  if (Component) return <Component {...props} />;
  if (error === undefined) return null;
  return (
    <Notice tone="bad" title="This view could not be loaded">
      <p>{wordsOf(error)} — reload the page when the server is back.</p>
    </Notice>
  );
}
