// The one-time link: its key stands in the fragment, is traded for a cookie, and leaves the address at once.
import { post, signedIn } from "./api.ts";

export async function signIn(): Promise<void> {
  const key = /^#key=([^&]+)$/.exec(location.hash)?.[1];
  if (key === undefined) return;
  history.replaceState(null, "", `${location.pathname}#/`);
  await post("/session", { key: decodeURIComponent(key) }).catch(() => {});
  // Whoever opened a used link may have a cookie all the same: the next request tells.
  signedIn.set(true);
}
