// Anthropic's sandbox runtime around a process: our rules for files, the person's own list of hosts.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { writePrivate } from "../files.ts";
import type { Enclosed, Enclosure } from "./enclosure.ts";
import { srtProgram } from "./probe.ts";

/** Where people tell srt which hosts may be reached; it knows no "all of them". */
export const srtSettingsFile = (): string => path.join(os.homedir(), ".srt-settings.json");

const NOTHING = { allowedDomains: [], deniedDomains: [] };

/** The person's network rules; undefined when they have none. */
export function srtNetwork(): Readonly<Record<string, unknown>> | undefined {
  try {
    const { network } = JSON.parse(fs.readFileSync(srtSettingsFile(), "utf8"));
    return Array.isArray(network?.allowedDomains) ? { ...NOTHING, ...network } : undefined;
  } catch {
    return undefined;
  }
}

function srtSettings(cwd: string, { hidden, reads, writes, network }: Enclosure): object {
  return {
    network: (network ? srtNetwork() : undefined) ?? NOTHING,
    filesystem: {
      denyRead: hidden,
      allowRead: [cwd, ...reads, ...writes],
      allowWrite: [cwd, ...writes],
      denyWrite: reads,
    },
  };
}

export function srtWrapped(
  program: readonly string[],
  cwd: string,
  enclosure: Enclosure,
  folder: string,
): Enclosed {
  const file = path.join(folder, "srt-settings.json");
  writePrivate(file, JSON.stringify(srtSettings(cwd, enclosure)));
  return { command: [srtProgram(), "--settings", file, "--", ...program], tells: false };
}
