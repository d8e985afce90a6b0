// Runs a gate in a clean room: kills the run's leftover processes, verifies its tools and copies the snapshot afresh.
import type { Gate } from "#spec/gate";
import type { Verdict } from "#spec/verdict";
import { sweep } from "#system/sweep";
import { head, plain } from "#text/plain-text";
import { errored } from "./errored-verdict.ts";
import { changedPin } from "./pins.ts";
import type { Room } from "./room.ts";
import { cleanPath } from "./room-environment.ts";
import { type Rooms, workspacesOf } from "./rooms.ts";

const NAMES_CHARS = 500;

export function inCleanRoom(gate: Gate, rooms: Rooms): Gate {
  return {
    name: gate.name,
    isDeterministic: gate.isDeterministic ?? false,
    judge: async (request, signal) => {
      const { run, tree } = request;
      await sweep(run.id);
      const complaint = changedPin(run, cleanPath(process.env.PATH ?? "", workspacesOf(run)));
      if (complaint) return { ...errored(complaint), tree };
      const room = await rooms.enter(request, signal);
      if (room.trouble) return { ...room.trouble, tree };
      const verdict = await gate.judge({ ...request, dir: room.dir, env: room.env }, signal);
      // Kills processes that the gate left running, so that nothing writes during the check.
      await sweep(run.id);
      return { ...(await afterwards(rooms, room, verdict, request.iteration)), tree };
    },
  };
}

/** Discards the verdict if protected files changed or the room is unreadable; mendable after the baseline. */
async function afterwards(rooms: Rooms, room: Room, verdict: Verdict, iteration: number): Promise<Verdict> {
  const { evidence, durationMs } = verdict;
  const details = `this verdict does not count: ${verdict.status}, ${verdict.summary}`;
  const uncounted = (summary: string): Verdict => {
    const none = errored(summary, { details, evidence, durationMs });
    return iteration > 0 ? { ...none, mendable: true } : none;
  };
  try {
    const { protected: names } = await rooms.leave(room);
    if (names.length === 0) return verdict;
    return uncounted(
      `${head(plain(names.join(", ")), NAMES_CHARS)} changed while the gate judged, and is protected`,
    );
  } catch (error) {
    return uncounted(`the gate left a room that cannot be read: ${(error as Error).message}`);
  }
}
