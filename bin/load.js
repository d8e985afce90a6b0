// Loads the command line from one file, with what V8 compiled of it the last time.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";

const dir = fileURLToPath(new URL("../dist/command-line", import.meta.url));
const file = path.join(dir, "main.cjs");
/** Compiled code is for one source, one version of Node and one kind of machine. It lies beside the source, and is trusted as that is. */
const made = Math.floor(fs.statSync(file).mtimeMs).toString(36);
const cache = path.join(dir, `main-${made}-${process.version}-${process.arch}.cache`);

function read(name) {
  try {
    return fs.readFileSync(name);
  } catch {
    return undefined;
  }
}

/** At the end, when what is used has been compiled. Where we may not write, it is compiled each time. */
function keep(script) {
  process.once("exit", () => {
    const temporary = `${cache}.${process.pid}`;
    try {
      fs.writeFileSync(temporary, script.createCachedData());
      fs.renameSync(temporary, cache);
    } catch {
      fs.rmSync(temporary, { force: true });
    }
  });
}

export function load() {
  const source = fs.readFileSync(file, "utf8");
  const cachedData = read(cache);
  const script = new vm.Script(`(function(exports,require,module,__dirname,__url){${source}\n})`, {
    filename: file,
    ...(cachedData && { cachedData }),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (!cachedData || script.cachedDataRejected) keep(script);
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, dir, pathToFileURL(file).href);
  return module.exports;
}
