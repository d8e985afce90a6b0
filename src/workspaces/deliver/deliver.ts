// Delivers the judged tree to the user as a branch, a commit, a patch or a pull request. Delivers the snapshot and not
// the workspace's files, never forces anything, and is idempotent.
import type { Delivered, DeliveryRequest, Workspace } from "#spec/workspace";
import { FilteredFiles } from "./adopt.ts";
import { deliverCommit } from "./commit.ts";
import { type Delivery, type DeliveryPlace, withRepository } from "./delivery.ts";
import { deliverPatch, writePatch } from "./patch.ts";
import { deliverPullRequest } from "./pull-request.ts";
import { deliverPushedBranch } from "./push.ts";

const NAMED_FILES = 5;

type Kind = (delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;

const KINDS: Readonly<Record<"branch" | "commit" | "pull-request", Kind>> = {
  branch: deliverPushedBranch,
  commit: deliverCommit,
  "pull-request": deliverPullRequest,
};

/** Writes a patch instead: raw bytes would corrupt filtered files, and running a filter is the user's decision. */
async function asPatch(
  shadow: string,
  request: DeliveryRequest,
  { paths }: FilteredFiles,
): Promise<Delivered> {
  const file = await writePatch(shadow, request);
  const more = paths.length > NAMED_FILES ? ` and ${paths.length - NAMED_FILES} more` : "";
  const problem = `${paths.slice(0, NAMED_FILES).join(", ")}${more}: the repository stores such files through a filter (.gitattributes), which Converge does not run; the work is in ${file}: git apply it and commit`;
  return { type: request.how.type, tree: request.tree, file, problem };
}

export function deliverer(place: DeliveryPlace): Pick<Workspace, "deliver"> {
  return {
    deliver: async (request, signal) => {
      const { type } = request.how;
      if (type === "patch") return deliverPatch(place.gitDir, request);
      try {
        return await withRepository(place, request, (delivery) => KINDS[type](delivery, signal));
      } catch (error) {
        if (error instanceof FilteredFiles) return asPatch(place.gitDir, request, error);
        throw error;
      }
    },
  };
}
