// Messages for an empty list.
import { wordsOf } from "../api.ts";
import { Notice } from "../parts/notice.tsx";
import { setQuery } from "../router.ts";
import { views } from "../views.ts";

export function NoRuns() {
  const start = views.find(({ path }) => path === "/new");
  return (
    <Notice tone="plain" title="No runs yet">
      <p>A run starts an agent again and again until your gates pass. Start one in a project folder:</p>
      <pre class="example">{'converge run -p "Make the tests pass." --gate "npm test"'}</pre>
      <p>
        It appears here as soon as it starts.
        {start && (
          <>
            {" "}
            Or <a href={`#${start.path}`}>start one from a task file</a> on this page.
          </>
        )}
      </p>
    </Notice>
  );
}

export function NoMatch() {
  return (
    <Notice tone="plain" title="No run matches">
      <p>
        <button type="button" onClick={() => setQuery({ q: "", state: "", workspace: "" })}>
          Show all runs
        </button>
      </p>
    </Notice>
  );
}

export function CannotLoad({ error }: { error: unknown }) {
  return (
    <Notice tone="bad" title="Cannot load the runs">
      <p>{wordsOf(error)}</p>
      <p class="soft">The page retries by itself. Runs continue without the server.</p>
    </Notice>
  );
}
