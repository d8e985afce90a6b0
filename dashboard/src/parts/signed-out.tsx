// Sign-in form.
import { useState } from "preact/hooks";
import { post, signedIn, wordsOf } from "../api.ts";
import { Notice } from "./notice.tsx";

export function SignedOut() {
  const [error, setError] = useState("");
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget as HTMLFormElement).get("key") ?? "").trim();
    try {
      // Accept the whole link, too.
      await post("/session", { key: given.replace(/^.*#key=/, "") });
      signedIn.set(true);
    } catch (reason) {
      setError(wordsOf(reason));
    }
  };
  return (
    <Notice tone="plain" title="You are not signed in">
      <p>
        <code>converge serve</code> prints a link that signs you in. Each link works once. Restart the server
        for a new link, or paste one that has not been used.
      </p>
      <form class="row" onSubmit={submit}>
        <label class="grow">
          <span>Link or key</span>
          <input name="key" type="password" autocomplete="off" required />
        </label>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
      {error && (
        <p class="error-words" role="alert">
          {error}
        </p>
      )}
    </Notice>
  );
}
