// Manifest of an export, its first file: the run, the format, and every file with its checksum.
import * as z from "zod";
import { UsageError } from "#spec/errors";

export const FORMAT = "converge-run";
export const FORMAT_VERSION = 1;

export const MANIFEST = "manifest.json";
export const EVENTS = "events.jsonl";
export const SNAPSHOTS = "snapshots.pack";
export const LOGS = "logs/";

export const MOST_MANIFEST_BYTES = 64 * 1_048_576;

const file = z.strictObject({
  name: z.string().max(300),
  bytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const schema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  /** Validated strictly, because it becomes a folder name. */
  run: z.string().regex(/^[a-z][a-z0-9]{7}$/),
  converge: z.string().max(100),
  exportedAt: z.string().max(100),
  events: z.number().int().positive(),
  /** Number of files that an export cannot hold: links, unusual names. */
  leftOut: z.number().int().nonnegative(),
  /** In archive order. */
  files: z.array(file),
});

export type Manifest = z.infer<typeof schema>;
export type ListedFile = Manifest["files"][number];

const claim = z.looseObject({ format: z.unknown(), version: z.unknown() });

export function readManifest(text: string): Manifest {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new UsageError("the manifest is not JSON. Export the run again");
  }
  const { format, version } = claim.safeParse(given).data ?? {};
  if (format !== FORMAT) throw new UsageError("the file is not an export of a run");
  if (version !== FORMAT_VERSION)
    throw new UsageError(
      `the export has format ${JSON.stringify(version)?.slice(0, 20)}, and this Converge knows ${FORMAT_VERSION}; use the Converge that wrote it, or a newer one`,
    );
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new UsageError(
    `the manifest is invalid at ${issue?.path.join(".") || "its root"}: ${issue?.message}`,
  );
}
