// Builds the bubblewrap (bwrap) command: a PID namespace that dies with bwrap, and the mounts the process sees.
import fs from "node:fs";
import path from "node:path";
import type { Enclosed, Enclosure } from "./enclosure.ts";
import { bwrapProgram } from "./probe.ts";

interface Mount {
  readonly at: string;
  readonly args: readonly string[];
}

/**
 * Capabilities that root keeps inside: install packages, become another user, nest another sandbox.
 * Without them root could unmount what hides a folder, read raw disks, trace processes or load kernel modules.
 */
const ROOT_CAPABILITIES =
  "CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETFCAP NET_BIND_SERVICE SYS_CHROOT";

/** Hides the folders with sockets that lead out of the sandbox (containers, desktop, services); DNS still works. */
const STRICT_MOUNTS: readonly Mount[] = [
  { at: "/dev", args: ["--dev", "/dev"] },
  { at: "/tmp", args: ["--tmpfs", "/tmp"] },
  { at: "/run", args: ["--tmpfs", "/run"] },
  {
    at: "/run/systemd/resolve",
    args: ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"],
  },
];

/** A shell starts the program, so that a missing one gives the shell's usual "not found" and exit code. */
const EXEC = ["/bin/sh", "-c", 'exec "$0" "$@"'];

/** Resolves symbolic links, because bwrap cannot mount on one. Undefined when the file does not exist. */
function resolveRealPath(file: string): string | undefined {
  try {
    return fs.realpathSync(file);
  } catch {
    return undefined;
  }
}

function bindMounts(option: "--bind" | "--ro-bind", files: readonly string[]): Mount[] {
  return files.flatMap((file) => {
    const at = resolveRealPath(file);
    return at === undefined ? [] : [{ at, args: [option, at, at] }];
  });
}

function hideFolders(folders: readonly string[]): { mounts: Mount[]; seals: string[] } {
  const places = folders.flatMap((folder) => resolveRealPath(folder) ?? []);
  return {
    mounts: places.map((at) => ({ at, args: ["--tmpfs", at] })),
    // Read-only: a write into the tmpfs would be lost silently, so it must fail instead.
    seals: places.flatMap((at) => ["--remount-ro", at]),
  };
}

/** Git runs hooks and configured commands for the next user of the repository, so the agent must not change them. */
const gitSettingsOf = (cwd: string) => [path.join(cwd, ".git", "hooks"), path.join(cwd, ".git", "config")];

/** Sorts outer folders first, so that deeper mounts go over them; of two mounts at one path the later wins. */
function sortByDepth(mounts: readonly Mount[]): string[] {
  const depth = ({ at }: Mount) => at.split(path.sep).filter(Boolean).length;
  return mounts.toSorted((a, b) => depth(a) - depth(b)).flatMap(({ args }) => args);
}

function bwrapArguments(cwd: string, enclosure: Enclosure, root: boolean): string[] {
  const { strict, network, reads, writes } = enclosure;
  const hidden = hideFolders(enclosure.hidden);
  const mounts = [
    ...(strict ? STRICT_MOUNTS : [{ at: "/dev", args: ["--dev-bind", "/dev", "/dev"] }]),
    ...hidden.mounts,
    ...bindMounts("--bind", [cwd, ...writes]),
    ...bindMounts("--ro-bind", [...reads, ...(strict ? gitSettingsOf(cwd) : [])]),
  ];
  return [
    ...(strict ? ["--ro-bind", "/", "/"] : ["--bind", "/", "/"]),
    ...sortByDepth(mounts),
    ...hidden.seals,
    ...["--proc", "/proc", "--unshare-pid", "--die-with-parent", "--new-session"],
    ...(network ? [] : ["--unshare-net"]),
    ...(root
      ? ["--cap-drop", "ALL", ...ROOT_CAPABILITIES.split(" ").flatMap((name) => ["--cap-add", `CAP_${name}`])]
      : []),
    ...["--chdir", resolveRealPath(cwd) ?? cwd],
  ];
}

export function wrapWithBwrap(program: readonly string[], cwd: string, enclosure: Enclosure): Enclosed {
  const args = bwrapArguments(cwd, enclosure, process.getuid?.() === 0);
  return {
    command: [bwrapProgram(), "--info-fd", "3", ...args, "--", ...EXEC, ...program],
    ...(enclosure.strict && { env: { TMPDIR: "/tmp" } }),
    reportsPid: true,
  };
}
