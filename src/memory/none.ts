// No memory: every iteration starts from the files and the feedback alone.
import type { Memory } from "#spec/memory";

export function none(): Memory {
  return { recall: () => "" };
}
