// Signs in with a one-time link: trades the key in the fragment for a cookie and removes it from the address.
import { post, signedIn } from "./api.ts";

export async function signIn(): Promise<void> {
  const key = /^#key=([^&]+)$/.exec(location.hash)?.[1];
  if (key === undefined) return;
  history.replaceState(null, "", `${location.pathname}#/`);
  await post("/session", { key: decodeURIComponent(key) }).catch(() => {});
  // A used link may come with a valid cookie: the next request finds out.
  signedIn.set(true);
}
