// URLs that notifications are sent to: kept in the state folder, where no view, log or record of a run shows them.
import fs from "node:fs";
import path from "node:path";
import type { Address } from "#spec/notify";
import type { Home } from "#state/home";
import { privateDir, writePrivate } from "#system/files";

export function keepAddresses(home: Home, addresses: Readonly<Record<string, string>>): void {
  for (const [kept, url] of Object.entries(addresses))
    writePrivate(path.join(privateDir(home.addresses), kept), url);
}

/** What people may see of it. */
export function shownAddress(address: Address): string {
  return "urlEnv" in address ? `$${address.urlEnv}` : address.host;
}

export type Found = { readonly url: string } | { readonly problem: string };

/** `problem` says why there is none, and what to do. */
export type FindAddress = (address: Address) => Found;

function fromVariable(name: string): Found {
  const value = process.env[name]?.trim();
  if (!value) return { problem: `the variable ${name} is not set` };
  const isGood = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  return isGood ? { url: value } : { problem: `the variable ${name} has no http(s) URL in it` };
}

export function findAddress(home: Home): FindAddress {
  return (address) => {
    if ("urlEnv" in address) return fromVariable(address.urlEnv);
    const file = path.join(home.addresses, address.kept);
    // What stands in a record never becomes a path of its own.
    if (!/^[0-9a-f]+$/.test(address.kept) || !fs.existsSync(file))
      return { problem: "its URL is not on this machine; start a new run for it" };
    return { url: fs.readFileSync(file, "utf8") };
  };
}
