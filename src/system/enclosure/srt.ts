// Wraps a process with Anthropic's sandbox runtime (srt): Converge's rules for files, the user's own list of hosts.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { writePrivate } from "../files.ts";
import type { Enclosed, Enclosure } from "./enclosure.ts";
import { srtProgram } from "./probe.ts";

/** The user's srt settings, which name the allowed hosts; srt has no setting for "all hosts". */
export const srtSettingsFile = (): string => path.join(os.homedir(), ".srt-settings.json");

const NO_HOSTS = { allowedDomains: [], deniedDomains: [] };

/** Reads the user's network rules; undefined when there are none. */
export function srtNetwork(): Readonly<Record<string, unknown>> | undefined {
  try {
    const { network } = JSON.parse(fs.readFileSync(srtSettingsFile(), "utf8"));
    return Array.isArray(network?.allowedDomains) ? { ...NO_HOSTS, ...network } : undefined;
  } catch {
    return undefined;
  }
}

function srtSettings(cwd: string, { hidden, reads, writes, network }: Enclosure): object {
  return {
    network: (network ? srtNetwork() : undefined) ?? NO_HOSTS,
    filesystem: {
      denyRead: hidden,
      allowRead: [cwd, ...reads, ...writes],
      allowWrite: [cwd, ...writes],
      denyWrite: reads,
    },
  };
}

interface SrtPlace {
  readonly cwd: string;
  /** A private folder for the settings of srt. */
  readonly folder: string;
}

export function wrapWithSrt(
  program: readonly string[],
  enclosure: Enclosure,
  { cwd, folder }: SrtPlace,
): Enclosed {
  const file = path.join(folder, "srt-settings.json");
  writePrivate(file, JSON.stringify(srtSettings(cwd, enclosure)));
  return { command: [srtProgram(), "--settings", file, "--", ...program], reportsPid: false };
}
