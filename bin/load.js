// Loads the bundled command line with V8's code cache.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";

const dir = fileURLToPath(new URL("../dist/command-line", import.meta.url));
const file = path.join(dir, "main.cjs");
/** The cache is valid for one bundle, Node version and architecture. It lies beside the bundle and is trusted like it. */
const builtAt = Math.floor(fs.statSync(file).mtimeMs).toString(36);
const cache = path.join(dir, `main-${builtAt}-${process.version}-${process.arch}.cache`);

function readIfExists(name) {
  try {
    return fs.readFileSync(name);
  } catch {
    return undefined;
  }
}

/** Writes the cache at exit, when the functions in use are compiled. Without write permission, there is no cache. */
function saveCache(script) {
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
  const cachedData = readIfExists(cache);
  const script = new vm.Script(`(function(exports,require,module,__dirname,__url){${source}\n})`, {
    filename: file,
    ...(cachedData && { cachedData }),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (!cachedData || script.cachedDataRejected) saveCache(script);
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, dir, pathToFileURL(file).href);
  return module.exports;
}
