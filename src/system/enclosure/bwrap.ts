// The arguments of bubblewrap: processes in a namespace of their own that end with it, and the files they see.
import fs from "node:fs";
import path from "node:path";
import type { Enclosed, Enclosure } from "./enclosure.ts";
import { bwrapProgram } from "./probe.ts";

interface Mount {
  readonly at: string;
  readonly how: readonly string[];
}

/**
 * What root may still do inside: install packages, become another user, nest a sandbox of its own.
 * Not unmount what hides a folder, read disks, or trace and load things.
 */
const ROOT_MAY = "CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETFCAP NET_BIND_SERVICE SYS_CHROOT";

/** Where sockets lie that lead out of it (containers, desktop, services); names are still looked up. */
const STRICT_MOUNTS: readonly Mount[] = [
  { at: "/dev", how: ["--dev", "/dev"] },
  { at: "/tmp", how: ["--tmpfs", "/tmp"] },
  { at: "/run", how: ["--tmpfs", "/run"] },
  {
    at: "/run/systemd/resolve",
    how: ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"],
  },
];

/** A shell starts it, and so says "not found" as a shell does. */
const EXEC = ["/bin/sh", "-c", 'exec "$0" "$@"'];

/** Its real name: a mount cannot stand on a link. Undefined when there is nothing. */
function real(file: string): string | undefined {
  try {
    return fs.realpathSync(file);
  } catch {
    return undefined;
  }
}

function bound(how: "--bind" | "--ro-bind", files: readonly string[]): Mount[] {
  return files.flatMap((file) => {
    const at = real(file);
    return at === undefined ? [] : [{ at, how: [how, at, at] }];
  });
}

function hidden(folders: readonly string[]): { mounts: Mount[]; seals: string[] } {
  const places = folders.flatMap((folder) => real(folder) ?? []);
  return {
    mounts: places.map((at) => ({ at, how: ["--tmpfs", at] })),
    // What would be written there is lost: better an error.
    seals: places.flatMap((at) => ["--remount-ro", at]),
  };
}

/** What git runs for whoever uses the repository next. */
const gitSettings = (cwd: string) => [path.join(cwd, ".git", "hooks"), path.join(cwd, ".git", "config")];

/** Outer folders first, so that what lies deeper is mounted over them; of two on one place the later wins. */
function ordered(mounts: readonly Mount[]): string[] {
  const depth = ({ at }: Mount) => at.split(path.sep).filter(Boolean).length;
  return mounts.toSorted((a, b) => depth(a) - depth(b)).flatMap(({ how }) => how);
}

function bwrapArguments(cwd: string, enclosure: Enclosure, root: boolean): string[] {
  const { strict, network, reads, writes } = enclosure;
  const kept = hidden(enclosure.hidden);
  const mounts = [
    ...(strict ? STRICT_MOUNTS : [{ at: "/dev", how: ["--dev-bind", "/dev", "/dev"] }]),
    ...kept.mounts,
    ...bound("--bind", [cwd, ...writes]),
    ...bound("--ro-bind", [...reads, ...(strict ? gitSettings(cwd) : [])]),
  ];
  return [
    ...(strict ? ["--ro-bind", "/", "/"] : ["--bind", "/", "/"]),
    ...ordered(mounts),
    ...kept.seals,
    ...["--proc", "/proc", "--unshare-pid", "--die-with-parent", "--new-session"],
    ...(network ? [] : ["--unshare-net"]),
    ...(root
      ? ["--cap-drop", "ALL", ...ROOT_MAY.split(" ").flatMap((name) => ["--cap-add", `CAP_${name}`])]
      : []),
    ...["--chdir", real(cwd) ?? cwd],
  ];
}

export function bwrapped(program: readonly string[], cwd: string, enclosure: Enclosure): Enclosed {
  const args = bwrapArguments(cwd, enclosure, process.getuid?.() === 0);
  return {
    command: [bwrapProgram(), "--info-fd", "3", ...args, "--", ...EXEC, ...program],
    ...(enclosure.strict && { env: { TMPDIR: "/tmp" } }),
    tells: true,
  };
}
