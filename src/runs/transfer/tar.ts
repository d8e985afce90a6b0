// Minimal streaming tar reader and writer for exports: regular files with plain names only.
import { UsageError } from "#spec/errors";

const BLOCK = 512;
/** Limit of the size field: eleven octal digits. */
const MOST_FILE_BYTES = 8 ** 11 - 1;

/** Plain relative path: never absolute, no `..`, no hidden names. */
const NAME = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\/)*[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/** Splits a name into tar's prefix and name fields; undefined when it does not fit. */
function split(name: string): readonly [prefix: string, name: string] | undefined {
  if (name.length <= 100) return ["", name];
  const at = name.indexOf("/", name.length - 101);
  return at > 0 && at <= 155 ? [name.slice(0, at), name.slice(at + 1)] : undefined;
}

export const canHold = (name: string, bytes: number): boolean =>
  NAME.test(name) && split(name) !== undefined && bytes <= MOST_FILE_BYTES;

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;

const checksum = (block: Buffer): number =>
  block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);

export function tarHeader(name: string, bytes: number): Buffer {
  const [prefix, rest] = split(name) ?? ["", ""];
  const block = Buffer.alloc(BLOCK);
  block.write(rest, 0, "latin1");
  block.write(octal(0o600, 7), 100);
  block.write(octal(0, 7) + octal(0, 7), 108);
  block.write(octal(bytes, 11), 124);
  block.write(octal(0, 11), 136);
  block.write("0", 156);
  block.write("ustar\u000000", 257);
  block.write(prefix, 345, "latin1");
  block.write(`${octal(checksum(block), 6)} `, 148);
  return block;
}

export const tarPadding = (bytes: number): Buffer => Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK);

/** End of archive: two empty blocks. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK);

export interface TarFile {
  readonly name: string;
  readonly bytes: number;
  /** Must be read to its end before the next file is requested. */
  content(): AsyncGenerator<Buffer>;
}

const damaged = (what: string) => new UsageError(`the archive is damaged: ${what}. Export the run again`);

function field(block: Buffer, from: number, length: number): string {
  const text = block.toString("latin1", from, from + length);
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

function headerIn(block: Buffer): { readonly name: string; readonly bytes: number } {
  if (Number.parseInt(field(block, 148, 8), 8) !== checksum(block))
    throw damaged("a header is not what was written");
  const prefix = field(block, 345, 155);
  const name = `${prefix}${prefix === "" ? "" : "/"}${field(block, 0, 100)}`;
  if (block.toString("latin1", 156, 157) !== "0")
    throw new UsageError(`the archive contains "${name}", which is not a regular file`);
  if (!NAME.test(name)) throw new UsageError(`the archive contains "${name}", which no export contains`);
  const bytes = Number.parseInt(field(block, 124, 12), 8);
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw damaged(`${name} has no size`);
  return { name, bytes };
}

/** Buffered reader: returns exact byte counts, however the chunks arrive. */
function reader(source: AsyncIterable<Buffer>) {
  const pieces = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  /** Returns the next bytes, at most `most`; empty at the end. */
  const some = async (most: number): Promise<Buffer> => {
    while (rest.length === 0) {
      const next = await pieces.next();
      if (next.done) return rest;
      rest = next.value;
    }
    const taken = rest.subarray(0, most);
    rest = rest.subarray(taken.length);
    return taken;
  };
  const exactly = async (count: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const part = await some(left);
      if (part.length === 0) throw damaged("it ends too early");
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  };
  return { some, exactly };
}

export async function* tarFiles(source: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const { some, exactly } = reader(source);
  for (;;) {
    const block = await exactly(BLOCK);
    if (block.every((byte) => byte === 0)) return;
    const { name, bytes } = headerIn(block);
    yield {
      name,
      bytes,
      content: async function* () {
        for (let left = bytes; left > 0; ) {
          const piece = await some(left);
          if (piece.length === 0) throw damaged("it ends too early");
          left -= piece.length;
          yield piece;
        }
        await exactly(tarPadding(bytes).length);
      },
    };
  }
}
