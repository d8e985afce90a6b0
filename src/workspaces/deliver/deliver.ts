// Delivers the judged tree to the user as a branch, a commit, a patch or a pull request. Delivers the snapshot and not
// the workspace's files, never forces anything, and is idempotent.
import type { Delivered, DeliveryRequest, Workspace } from "#spec/workspace";
import { deliverBranch } from "./branch.ts";
import { deliverCommit } from "./commit.ts";
import { type Delivery, type DeliveryPlace, withDelivery } from "./delivery.ts";
import { deliverPatch, writePatch } from "./patch.ts";
import { FilteredFiles } from "./plan-commits.ts";
import { deliverPullRequest } from "./pull-request.ts";

const LISTED_FILES = 5;

type Kind = (delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;

const KINDS: Readonly<Record<"branch" | "commit" | "pull-request", Kind>> = {
  branch: deliverBranch,
  commit: deliverCommit,
  "pull-request": deliverPullRequest,
};

/** Writes a patch instead: raw bytes would corrupt filtered files, and running a filter is the user's decision. */
async function deliverPatchInstead(
  shadow: string,
  request: DeliveryRequest,
  { paths }: FilteredFiles,
): Promise<Delivered> {
  const file = await writePatch(shadow, request);
  const more = paths.length > LISTED_FILES ? ` and ${paths.length - LISTED_FILES} more` : "";
  const problem = `the repository stores ${paths.slice(0, LISTED_FILES).join(", ")}${more} through a filter (.gitattributes), which Converge does not run; the work is in ${file}. Apply it with git apply ${file}, then commit`;
  return { type: request.how.type, tree: request.tree, file, problem };
}

export function deliverer(place: DeliveryPlace): Pick<Workspace, "deliver"> {
  return {
    deliver: async (request, signal) => {
      const { type } = request.how;
      if (type === "patch") return deliverPatch(place.gitDir, request);
      try {
        return await withDelivery(place, request, (delivery) => KINDS[type](delivery, signal));
      } catch (error) {
        if (error instanceof FilteredFiles) return deliverPatchInstead(place.gitDir, request, error);
        throw error;
      }
    },
  };
}
