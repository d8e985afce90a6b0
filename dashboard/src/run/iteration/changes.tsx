// List of changed files.
import type { FileChange } from "#spec/workspace";

const SIGNS = { added: "+", changed: "~", deleted: "−" } as const;

export function Changes({ changes, label }: { changes: readonly FileChange[]; label: string }) {
  return (
    <ul class="changes" aria-label={label}>
      {changes.map(({ path, kind }) => (
        <li key={path} class={`change-${kind}`}>
          <span aria-hidden="true">{SIGNS[kind]}</span> <code>{path}</code>{" "}
          <span class="visually-hidden">{kind}</span>
        </li>
      ))}
    </ul>
  );
}
