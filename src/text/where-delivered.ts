// Describes where the delivered work is, in a few words.
import type { Delivered } from "#spec/workspace";

export function whereDelivered({ branch, commit, file, url }: Delivered): string {
  const inGit = [branch && `branch ${branch}`, commit && `commit ${commit.slice(0, 12)}`];
  return url ?? file ?? inGit.filter(Boolean).join(", ");
}
