// Traces the gates' commands through npm scripts, recipes and shell scripts, and collects what they run.

import { commandsIn } from "#system/shell";
import { justCommands } from "../parts/justfile.ts";
import { recipeCommands } from "../parts/makefile.ts";
import { readPieces } from "../parts/parts.ts";
import { type BaseFiles, TOOL_FOLDERS } from "../shared/files.ts";
import { literal, within } from "../shared/glob.ts";
import type { Rule } from "../shared/rule.ts";
import { hasTestCases } from "../shared/test-cases.ts";
import { addTool, type Followed, nothingFollowed } from "./followed.ts";
import { type RecipeCall, recipeCall } from "./make-call.ts";
import { isPlaceholder, packageReader, type ScriptCall, scriptsCalled } from "./package-scripts.ts";
import {
  fileMeant,
  isInSourceFolder,
  isShellFile,
  isSteering,
  isTestFile,
  looksLikeCheck,
  programWords,
} from "./programs.ts";
import { programIn, TOOLS, type Tool, toolsIn } from "./tools.ts";

export interface GateCommand {
  /** A string is a shell command, a list is a program with its arguments. */
  readonly command: string | readonly string[];
  /** Relative to the workspace. */
  readonly cwd?: string;
}

/** The context of a command: its working folder, the folder of the script that contains it, and its caller. */
interface Place {
  readonly folder: string;
  readonly script?: string;
  readonly by: string;
}

const MOST_STEPS = 500;
const RELATIVE_IMPORT = /(?:from|import|require\()\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

interface Makefile {
  readonly text: string;
  readonly folder: string;
}

interface MakeTarget {
  readonly kind: "make-target";
  readonly name: string;
}

class Follower {
  readonly found: Followed = nothingFollowed();
  readonly #files: BaseFiles;
  readonly #packageIn;
  readonly #seen = new Set<string>();

  constructor(files: BaseFiles) {
    this.#files = files;
    this.#packageIn = packageReader(files);
  }

  /** Returns false when the step has already been followed, or the limit of steps is reached. */
  #isNew(...step: readonly string[]): boolean {
    const key = step.join("\0");
    if (this.#seen.has(key) || this.#seen.size > MOST_STEPS) return false;
    this.#seen.add(key);
    return true;
  }

  read(command: string | readonly string[], place: Place): void {
    let { folder } = place;
    for (const words of commandsIn(command)) {
      const [first, target] = words;
      if ((first === "cd" || first === "pushd") && target !== undefined)
        folder = this.#files.inside(target, folder) ?? "";
      else this.#command(words, { ...place, folder });
    }
  }

  #command(words: readonly string[], place: Place): void {
    const { folder } = place;
    const tools = toolsIn(words);
    for (const tool of tools) addTool(this.found, tool, folder);
    const calls = scriptsCalled(words, this.#packageIn(folder).scripts);
    for (const call of calls) this.#scriptCall(call, folder);
    const at = words.findIndex((word) => /^(?:g?make|just)$/.test(programIn(word)));
    if (at !== -1) this.#recipes(recipeCall(words.slice(at), folder, this.#files), place.by);
    this.#composer(words, folder);
    this.#options(words, tools, place);
    this.#programs(words, place);
    this.#arguments(words, tools, place);
  }

  /** Follows each script once, because scripts may call each other. */
  #script(name: string, folder: string): void {
    if (!this.#isNew("script", folder, name)) return;
    const text = this.#packageIn(folder).scripts.get(name);
    const reason = `the gate runs the npm script ${name}`;
    const isHook = /^(?:pre|post)/.test(name);
    // The agent's task may be to write a script that is missing or npm's placeholder.
    if (isHook || (text !== undefined && !isPlaceholder(text)))
      this.found.parts.push({
        path: within(folder, "package.json"),
        key: ["scripts", name],
        grows: false,
        reason,
      });
    if (text !== undefined) this.read(text, { folder, by: `npm script ${name}` });
  }

  #scriptCall({ script, dir, inPackages }: ScriptCall, from: string): void {
    const folder = dir === undefined ? from : (this.#files.inside(dir, from) ?? "");
    this.#steer(within(folder, ".npmrc"), "settings of the package manager", true);
    const names = [script, `pre${script}`, `post${script}`];
    for (const name of names) this.#script(name, folder);
    if (!inPackages) return;
    const reason = `the gate runs the npm script ${script} of every package`;
    for (const name of names)
      this.found.parts.push({
        path: within(folder, "**/package.json"),
        key: ["scripts", name],
        grows: false,
        reason,
      });
    for (const one of this.#packageIn(folder).packages) {
      const text = this.#packageIn(one).scripts.get(script);
      if (text !== undefined && this.#isNew("script", one, script))
        this.read(text, { folder: one, by: `npm script ${script}` });
    }
  }

  #composer(words: readonly string[], folder: string): void {
    const at = words.findIndex((word) => programIn(word) === "composer");
    if (at === -1) return;
    const [verb = "", name] = words.slice(at + 1).filter((word) => !word.startsWith("-"));
    const script = /^run(?:-script)?$/.test(verb) ? (name ?? "") : verb;
    this.#composerScript(script, folder);
  }

  #composerScript(script: string, folder: string): void {
    const commands = this.#packageIn(folder).composer.get(script);
    if (commands === undefined || !this.#isNew("composer", folder, script)) return;
    const reason = `the gate runs the Composer script ${script}`;
    this.found.parts.push({
      path: within(folder, "composer.json"),
      key: ["scripts", script],
      grows: false,
      reason,
    });
    for (const text of commands)
      if (/^@\w/.test(text) && !/^@(?:php|composer|putenv)\b/.test(text))
        this.#composerScript(text.slice(1), folder);
      else this.read(text.replace(/^@(?:php|composer)\s+/, ""), { folder, by: `Composer script ${script}` });
  }

  /** Protects only the recipes of the targets: an agent may have to add a file to a list of sources. */
  #recipes({ kind, folder, file, names, targets }: RecipeCall, by: string): void {
    const text = file === undefined ? "" : this.#files.read(file);
    for (const target of targets) {
      if (!this.#isNew(kind, file ?? folder, target)) continue;
      const what = kind === "make-target" ? "target" : "recipe";
      const reason = `${by} runs the ${what} ${target || "that is the default"}`;
      const part = { kind, name: target };
      if (file !== undefined && this.#files.has(file))
        this.found.parts.push({ path: literal(file), part, grows: false, reason });
      if (kind === "make-target") this.#includes({ text, folder }, { kind, name: target }, reason);
      const commands = kind === "make-target" ? recipeCommands(text, target) : justCommands(text, target);
      for (const command of commands) this.read(command, { folder, by: `${what} ${target}`.trim() });
    }
    if (file === undefined) return;
    const missing = names
      .slice(0, names.indexOf(file))
      .filter((name) => this.#files.kindOf(name) === undefined);
    for (const name of missing) this.#steer(literal(name), `would be used instead of ${file}`, true);
  }

  /** Included makefiles and automake's input files may contain the same targets. */
  #includes({ text, folder }: Makefile, part: MakeTarget, reason: string): void {
    const named = [...text.matchAll(/^-?include\s+(.+)$/gm)].flatMap(([, list = ""]) => list.split(/\s+/));
    const inputs = this.#files.list.filter(
      (file) =>
        /(?:^|\/)Makefile\.(?:am|in)$/.test(file) && readPieces(part, this.#files.read(file)).length > 0,
    );
    const files = [...named.flatMap((name) => this.#files.inside(name, folder) ?? []), ...inputs];
    for (const file of files.filter((one) => this.#files.has(one))) {
      this.found.parts.push({ path: literal(file), part, grows: false, reason });
      for (const command of recipeCommands(this.#files.read(file), part.name))
        this.read(command, { folder, by: `target ${part.name}` });
    }
  }

  /** Treats an option's value as a settings file only if the tool is known to have that option. */
  #options(words: readonly string[], tools: readonly Tool[], { folder }: Place): void {
    for (const [at, word] of words.entries()) {
      const [option = "", value = words[at + 1] ?? ""] = word.split("=", 2);
      if (!tools.some(({ options }) => options.includes(option))) continue;
      const file = fileMeant(this.#files, value, [folder]);
      if (file !== undefined && this.#files.has(file))
        this.#steer(literal(file), `settings given with ${option}`, false);
    }
  }

  #programs(words: readonly string[], place: Place): void {
    const folders = [place.folder, ...(place.script === undefined ? [] : [place.script])];
    for (const word of programWords(words)) {
      if (word.startsWith("-") || !/[/.]/.test(word)) continue;
      const file = fileMeant(this.#files, word, folders);
      if (file === undefined || isTestFile(this.#files, file)) continue;
      if (isSteering(this.#files, file)) this.#program(file, place);
      return;
    }
  }

  #program(file: string, { folder, by }: Place): void {
    this.#steer(literal(file), `${by} runs it`, false);
    if (!this.#isNew("program", file)) return;
    const text = this.#files.read(file);
    const script = file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : "";
    if (isShellFile(this.#files, file)) this.read(text, { folder, script, by: file });
    else this.#otherProgram(text, { folder, script, by: file });
  }

  /** Does not follow commands that the program starts; tools that it names count as used. */
  #otherProgram(text: string, place: Place): void {
    for (const tool of TOOLS)
      if (tool.runsTests && tool.packages.some((name) => text.includes(name)))
        addTool(this.found, tool, place.folder);
    for (const [, name = ""] of text.matchAll(RELATIVE_IMPORT)) {
      const other = fileMeant(this.#files, name, [place.script ?? ""]);
      if (other !== undefined && isSteering(this.#files, other)) this.#program(other, place);
    }
  }

  /** Finds tests that a command passes to a runner, and files that a check compares with. */
  #arguments(words: readonly string[], tools: readonly Tool[], { folder, by }: Place): void {
    const runsTests = tools.some((tool) => tool.runsTests);
    for (const word of words.slice(1)) {
      if (word.startsWith("-")) continue;
      const place = this.#files.inside(word, folder);
      if (place === undefined || place.split("/").some((part) => TOOL_FOLDERS.includes(part))) continue;
      const kind = this.#files.kindOf(place);
      if (kind === "file" && this.#files.has(place)) {
        const isCase = runsTests && !isInSourceFolder(place) && hasTestCases(this.#files, place);
        const isTest = isCase || isData(place);
        if (isTest) this.#rule({ pattern: literal(place), class: "test", reason: `${by} names it` });
      }
    }
  }

  #steer(pattern: string, reason: string, refusesNew: boolean): void {
    this.#rule({ pattern, class: "steering", reason, ...(refusesNew && { refusesNew }) });
  }

  #rule(rule: Rule): void {
    if (!this.found.rules.some(({ pattern }) => pattern === rule.pattern)) this.found.rules.push(rule);
  }
}

const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs|c|cc|cpp|h|hpp|java|kt|rb|php|cs|swift|sh)$/;
const isData = (file: string): boolean => looksLikeCheck(file) && !CODE.test(file);

export function followCommands(files: BaseFiles, commands: readonly GateCommand[]): Followed {
  const follower = new Follower(files);
  for (const { command, cwd } of commands) {
    const folder = cwd === undefined ? "" : (files.inside(cwd) ?? "");
    follower.read(command, { folder, by: "the gate" });
  }
  return follower.found;
}
