// What a fresh clone needs before anything can run: packages and a build. Only Node's own modules are used here.
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** Runs a program to its end and tells whether it went well; what it printed is shown if it did not. */
export function execute(program, args) {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: root, maxBuffer: Number.POSITIVE_INFINITY }, (error, stdout, stderr) => {
      const reason = typeof error?.code === "number" ? "" : error?.message;
      if (error) process.stdout.write(`${stdout}${stderr}${reason}\n`);
      resolve(error === null);
    });
  });
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Converge needs Node 20.19 or newer; this is ${process.version}`);
  process.exit(1);
}

function requireGit() {
  if (spawnSync("git", ["--version"]).status === 0) return;
  console.error("Converge keeps its snapshots with git, and git was not found; install it and try again");
  process.exit(1);
}

const works = (program, args) => spawnSync(program, args).status === 0;

/** Debian's package, installed when we may. */
function installPackage(name) {
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const apt = (...args) => {
    const [program, ...rest] = [...asRoot, "apt-get", "-qq", ...args];
    return works(program, rest);
  };
  if (!works("apt-get", ["--version"]) || (asRoot.length > 0 && !works("sudo", ["-n", "true"]))) return;
  console.log(`installing ${name} …`);
  const install = () => apt("install", "--yes", "--no-install-recommends", name);
  if (!install() && apt("update")) install();
}

function requireProgram({ program, args = ["--version"], name, what }) {
  if (works(program, args)) return;
  installPackage(name);
  if (works(program, args)) return;
  console.error(`${what} need ${name} (${program}), and it could not be installed; install it and try again`);
  process.exit(1);
}

/** For the tests of isolation, and those with a disk of their own. */
export function requireBubblewrap() {
  requireProgram({ program: "bwrap", name: "bubblewrap", what: "the tests of isolation" });
}

/** For the tests of the page, and its screenshots. */
export function requireChromium() {
  requireProgram({ program: "chromium", name: "chromium", what: "the tests and pictures of the page" });
}

/** For gates that the tests start as users do. */
export function requireMakeAndPython(what = "the tests of gates") {
  requireProgram({ program: "make", name: "build-essential", what });
  requireProgram({ program: "python3", name: "python3", what });
}

/** For the first-day tests: the languages of their repositories besides JavaScript. */
export function requireToolchains() {
  const what = "the first-day tests";
  requireMakeAndPython(what);
  requireProgram({ program: "cc", name: "build-essential", what });
  requireProgram({ program: "go", args: ["version"], name: "golang-go", what });
  requireProgram({ program: "cargo", name: "cargo", what });
  requireProgram({ program: "python3", args: ["-m", "pytest", "--version"], name: "python3-pytest", what });
}

/** The packages of the lockfile, installed when they are missing or the lockfile has changed since. */
async function install() {
  const lockfile = fs.readFileSync(path.join(root, "package-lock.json"));
  const hash = createHash("sha256").update(lockfile).update(process.version).digest("hex");
  const stamp = path.join(root, "node_modules", ".cache", "converge-install");
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === hash) return;
  console.log("installing packages …");
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  if (!(await execute("npm", args))) process.exit(1);
  fs.mkdirSync(path.dirname(stamp), { recursive: true });
  fs.writeFileSync(stamp, hash);
}

export function bin(name) {
  return path.join(root, "node_modules", ".bin", name);
}

export async function build() {
  // Without the output, the compiler's memory of it must go too, or it would write nothing.
  if (!fs.existsSync(path.join(root, "dist", "cli", "main.js")))
    fs.rmSync(path.join(root, "node_modules", ".cache", "build.tsbuildinfo"), { force: true });
  const compiled = await execute(bin("tsc"), ["-p", "tsconfig.build.json"]);
  const [bundled, page] = await Promise.all([
    compiled && execute(process.execPath, [path.join(root, "scripts", "bundle.mjs")]),
    execute(bin("vite"), ["build", "dashboard", "--logLevel", "warn"]),
  ]);
  return bundled && page;
}

export async function setUp() {
  requireNode();
  requireGit();
  await install();
}
