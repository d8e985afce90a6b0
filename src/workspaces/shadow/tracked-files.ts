// Lists the files in the index of the user's repository.
import { git } from "#system/git";

/** The tracked files below `dir`, limited to `paths` if given; empty without a repository. */
export async function trackedFiles(dir: string, paths: readonly string[] = []): Promise<ReadonlySet<string>> {
  const args = ["--literal-pathspecs", "ls-files", "-z", "--", ...paths];
  const { code, stdout } = await git(args, { cwd: dir });
  return new Set(code === 0 ? stdout.split("\0").filter(Boolean) : []);
}
