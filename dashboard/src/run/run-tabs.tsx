// Tabs of the views of a run.
import { views } from "../views.ts";

export function RunTabs({ id, path }: { id: string; path: string }) {
  const tabs = views.filter(({ tab }) => tab !== undefined);
  if (tabs.length < 2) return null;
  return (
    <nav class="tabs" aria-label="Views of this run">
      {tabs.map((view) => (
        <a
          key={view.path}
          href={`#${view.path.replace(":id", encodeURIComponent(id))}`}
          aria-current={view.path === path ? "page" : undefined}
        >
          {view.tab}
        </a>
      ))}
    </nav>
  );
}
