// Protected files: kept byte for byte, compared on disk, put back.
import type { Workspace } from "#spec/workspace";

export interface ShadowPlace {
  /** The shadow's git directory. */
  readonly gitDir: string;
  /** The workspace. */
  readonly dir: string;
}

export function protector(_place: ShadowPlace): Pick<Workspace, "seal" | "tampering" | "mend"> {
  const later = () => Promise.reject(new Error("protected paths are not built yet"));
  return { seal: later, tampering: later, mend: later };
}
