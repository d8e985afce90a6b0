// Stores notification URLs in the state folder, so that no view, log or record of a run shows them.
import fs from "node:fs";
import path from "node:path";
import type { Address } from "#spec/notify";
import type { Home } from "#state/home";
import { privateDir, writePrivate } from "#system/files";

export function saveAddresses(home: Home, addresses: Readonly<Record<string, string>>): void {
  for (const [kept, url] of Object.entries(addresses))
    writePrivate(path.join(privateDir(home.addresses), kept), url);
}

/** The part of an address that is safe to show. */
export function displayAddress(address: Address): string {
  return "urlEnv" in address ? `$${address.urlEnv}` : address.host;
}

export type AddressLookup = { readonly url: string } | { readonly problem: string };

/** `problem` says why there is no URL, and what to do. */
export type FindAddress = (address: Address) => AddressLookup;

function fromVariable(name: string): AddressLookup {
  const value = process.env[name]?.trim();
  if (!value) return { problem: `the variable ${name} is not set` };
  const isHttpUrl = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  return isHttpUrl ? { url: value } : { problem: `the variable ${name} is not an http(s) URL` };
}

export function findAddress(home: Home): FindAddress {
  return (address) => {
    if ("urlEnv" in address) return fromVariable(address.urlEnv);
    const file = path.join(home.addresses, address.kept);
    // Validate the name: a value from a record must never become another path.
    if (!/^[0-9a-f]+$/.test(address.kept) || !fs.existsSync(file))
      return { problem: "its URL is not stored on this machine. Start a new run here" };
    return { url: fs.readFileSync(file, "utf8") };
  };
}
