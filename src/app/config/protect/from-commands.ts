// What the outcome of a command rests on: the scripts it runs, its tools' settings and tests, the checks it names.
import path from "node:path";
import { type Collector, looksLikeCheck } from "./collect.ts";
import { type Package, readPackage, type ScriptCall, scriptsCalled } from "./package-scripts.ts";
import { type Runner, runnersIn } from "./runners.ts";
import { commandsIn } from "./shell-words.ts";

const LOOKS_LIKE_FILE = /\/|\.\w+$/;
const CONFIG_OPTION = /^(?:--config|-c|--makefile|-f|--justfile|--rcfile|--configuration)$/;

/** A text is shell, a list is program and arguments; it runs in a folder of the workspace. */
export type ReadCommand = (command: string | readonly string[], folder: string) => void;

export function commandReader(collect: Collector): ReadCommand {
  const followed = new Set<string>();
  const packages = new Map<string, Package>();

  const packageIn = (folder: string): Package => {
    const known = packages.get(folder) ?? readPackage(path.join(collect.dir, folder));
    packages.set(folder, known);
    return known;
  };

  const runner = ({ settings, keys, tests }: Runner, folder: string): void => {
    const { isMonorepo } = packageIn(folder);
    for (const pattern of settings) {
      const everywhere = isMonorepo && !pattern.startsWith("**/");
      collect.files(folder, everywhere ? `**/${pattern}` : pattern, false);
    }
    for (const key of keys) collect.packageValue(folder, [key]);
    for (const pattern of tests) {
      const base = /^([^*{]+)\/\*\*$/.exec(pattern)?.[1];
      const isThere = base === undefined || collect.kindOf(path.join(folder, base)) === "folder";
      if (isThere) collect.files(folder, pattern, true);
    }
  };

  /** Scripts call scripts: each is followed once. */
  const script = (name: string, folder: string): void => {
    const place = `${folder}\0${name}`;
    if (followed.has(place)) return;
    followed.add(place);
    collect.packageValue(folder, ["scripts", name]);
    const text = packageIn(folder).scripts.get(name);
    if (text !== undefined) read(text, folder);
  };

  const scriptCall = ({ script: name, dir, inPackages }: ScriptCall, folder: string): void => {
    const place = dir === undefined ? folder : (collect.inside(dir, folder) ?? "");
    collect.files(place, ".npmrc", false);
    for (const one of [name, `pre${name}`, `post${name}`]) {
      script(one, place);
      if (inPackages) collect.packageValue(place, ["scripts", one], true);
    }
  };

  const words = (list: readonly string[], folder: string): void => {
    const runners = runnersIn(list);
    for (const one of runners) runner(one, folder);
    for (const call of scriptsCalled(list, packageIn(folder).scripts)) scriptCall(call, folder);
    for (const [at, word] of list.entries()) {
      const [option = "", value = ""] = word.startsWith("-") ? word.split("=", 2) : [list[at - 1], word];
      const isSetting = runners.length > 0 && CONFIG_OPTION.test(option);
      if (value && (isSetting || (LOOKS_LIKE_FILE.test(value) && looksLikeCheck(value))))
        collect.thing(value, folder);
    }
  };

  const read: ReadCommand = (command, start) => {
    let folder = start;
    for (const list of commandsIn(command)) {
      const [first, target] = list;
      if (first === "cd" && target !== undefined) folder = collect.inside(target, folder) ?? "";
      else words(list, folder);
    }
  };
  return read;
}
