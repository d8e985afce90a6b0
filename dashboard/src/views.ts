// Table of all views: path, title, navigation and loader. The first match is shown.
import type { ComponentType } from "preact";
import type { Params } from "./router.ts";

export interface ViewProps {
  readonly params: Params;
  readonly query: URLSearchParams;
}

export interface View {
  /** A view below `/runs/:id` is drawn inside the frame of that run and may call `useRun()`. */
  readonly path: string;
  readonly title: string;
  /** Name in the main navigation. */
  readonly nav?: string;
  /** Name among the tabs of a run. */
  readonly tab?: string;
  readonly load: () => Promise<{ readonly default: ComponentType<ViewProps> }>;
}

export const views: readonly View[] = [
  { path: "/", title: "Runs", nav: "Runs", load: () => import("./list/list-view.tsx") },
  { path: "/runs/:id", title: "Run", tab: "Overview", load: () => import("./run/run-view.tsx") },
  { path: "/runs/:id/output", title: "Output", tab: "Output", load: () => import("./log/log-view.tsx") },
  { path: "/runs/:id/changes", title: "Changes", tab: "Changes", load: () => import("./diff/diff-view.tsx") },
  { path: "/new", title: "Start a run", nav: "Start a run", load: () => import("./start/start-view.tsx") },
  { path: "/compare", title: "Compare", nav: "Compare", load: () => import("./compare/compare-view.tsx") },
  { path: "/model", title: "Learned", nav: "Learned", load: () => import("./model/model-view.tsx") },
];
