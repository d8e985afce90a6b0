// Finds the tool for a turn among those the agent offers, and fills in the parameters its schema requires.
import type { Answer } from "./script.ts";

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Tool {
  readonly name: string;
  readonly schema?: Schema | undefined;
  /** Takes plain text instead of JSON (Codex's `apply_patch`). */
  readonly custom?: boolean;
}

export interface Call {
  readonly name: string;
  readonly custom: boolean;
  readonly input: Readonly<Record<string, unknown>> | string;
}

const SHELLS = ["Bash", "exec_command", "shell_command", "shell", "bash", "run_shell_command"];
const WRITERS = ["Write", "apply_patch", "write", "write_file"];

function pick(tools: readonly Tool[], names: readonly string[]): Tool {
  const tool = names.map((name) => tools.find((offered) => offered.name === name)).find(Boolean);
  if (tool) return tool;
  throw new Error(
    `wanted one of the tools ${names.join(", ")}; there are ${tools.map((t) => t.name).join(", ")}`,
  );
}

function anything({ type, enum: choices }: Schema = {}): unknown {
  if (choices?.length) return choices[0];
  const first = Array.isArray(type) ? type[0] : type;
  if (first === "boolean") return false;
  if (first === "number" || first === "integer") return 1;
  if (first === "array") return [];
  return first === "object" ? {} : "as asked";
}

function filled({ schema = {} }: Tool, known: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const properties = schema.properties ?? {};
  const wanted = [...(schema.required ?? []), ...Object.keys(known).filter((name) => name in properties)];
  return Object.fromEntries(
    [...new Set(wanted)].map((name) => [name, name in known ? known[name] : anything(properties[name])]),
  );
}

function shellCall(tool: Tool, command: string): Call {
  const asList = tool.schema?.properties?.command?.type === "array";
  const known = { command: asList ? ["bash", "-lc", command] : command, cmd: command };
  return { name: tool.name, custom: false, input: filled(tool, known) };
}

function patch(path: string, text: string): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return [
    "*** Begin Patch",
    `*** Add File: ${path}`,
    ...lines.map((line) => `+${line}`),
    "*** End Patch",
    "",
  ].join("\n");
}

function writeCall(tool: Tool, { path, text }: { path: string; text: string }): Call {
  if (tool.name !== "apply_patch")
    return {
      name: tool.name,
      custom: false,
      input: filled(tool, { file_path: path, filePath: path, content: text }),
    };
  const input = tool.custom ? patch(path, text) : filled(tool, { input: patch(path, text) });
  return { name: tool.name, custom: tool.custom === true, input };
}

/** The tool calls of a turn. */
export function callsOf(answer: Answer, tools: readonly Tool[]): Call[] {
  const calls: Call[] = [];
  if (answer.shell !== undefined) calls.push(shellCall(pick(tools, SHELLS), answer.shell));
  if (answer.write) calls.push(writeCall(pick(tools, WRITERS), answer.write));
  if (answer.call) calls.push({ ...answer.call, custom: false });
  return calls;
}
