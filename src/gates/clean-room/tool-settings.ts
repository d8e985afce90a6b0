// Settings files outside the workspace that change how tools behave.
import path from "node:path";

const IN_HOME = [
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".bunfig.toml",
  ".config/pnpm/rc",
  ".pip/pip.conf",
  ".config/pip/pip.conf",
  ".config/uv/uv.toml",
  ".pydistutils.cfg",
  ".cargo/config",
  ".cargo/config.toml",
  ".config/go/env",
  ".m2/settings.xml",
  ".mavenrc",
  ".gradle/gradle.properties",
  ".gradle/init.gradle",
  ".gemrc",
  ".bundle/config",
  ".rspec",
  ".nuget/NuGet/NuGet.Config",
  ".gitconfig",
  ".config/git/config",
  ".node_modules",
  ".node_libraries",
];

/** Files that tools look up in every parent folder. */
const ABOVE = ["node_modules", "package.json", "tsconfig.json", "pyproject.toml", "conftest.py"];

/** `home` is the user's home folder; `rooms` is the folder of the clean rooms. */
export function settingsFiles(home: string, rooms: string): readonly string[] {
  const above = foldersAbove(rooms).flatMap((folder) => ABOVE.map((name) => path.join(folder, name)));
  return [...IN_HOME.map((name) => path.join(home, name)), ...above];
}

function foldersAbove(dir: string): string[] {
  const parent = path.dirname(dir);
  return parent === dir ? [dir] : [dir, ...foldersAbove(parent)];
}
