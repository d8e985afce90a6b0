// The commit that is checked out in a folder.
import { git } from "#system/git";

/** Returns undefined without a repository, or when it has no commit. */
export async function headOf(dir: string): Promise<string | undefined> {
  const { code, stdout } = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd: dir });
  return code === 0 ? stdout.trim() : undefined;
}
