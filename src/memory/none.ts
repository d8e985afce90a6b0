// No memory: every iteration starts from files and feedback alone.
import type { Memory } from "#spec/memory";

export function none(): Memory {
  return { recall: () => "" };
}
