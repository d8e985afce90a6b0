// Resolves the sandbox for agents on this machine, and refuses a run when it is weaker than the task requires.
import { type Isolation, TIERS, type Tier } from "#spec/agent";
import { UsageError } from "#spec/errors";
import type { IsolationSpec } from "#spec/task";
import type { Home } from "#state/home";
import { whyNoBwrap, whyNoSrt } from "#system/enclosure/probe";
import { srtNetwork, srtSettingsFile } from "#system/enclosure/srt";

const GET_BWRAP =
  "install bubblewrap (apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap, apk add bubblewrap)";
const GET_SRT =
  "install it with: npm install -g @anthropic-ai/sandbox-runtime (it needs bubblewrap, socat and ripgrep)";

function byBwrap(tier: Tier): Pick<Isolation, "tier" | "by"> {
  return { tier, by: "bwrap" };
}

function strict(): Pick<Isolation, "tier" | "by"> {
  const why = whyNoBwrap();
  if (why !== undefined) throw new UsageError(`isolation: strict needs bwrap, and ${why}; ${GET_BWRAP}`);
  return byBwrap("strict");
}

function runtime({ network }: IsolationSpec): Pick<Isolation, "tier" | "by"> {
  const why = whyNoSrt();
  if (why !== undefined) throw new UsageError(`isolation: runtime needs srt, and ${why}; ${GET_SRT}`);
  // srt blocks every host that is not listed, so without a list no agent could reach its model.
  if (network && srtNetwork() === undefined)
    throw new UsageError(
      `isolation: runtime lets only hosts through that ${srtSettingsFile()} names under network.allowedDomains, and it names none; name them there, or write "network: off"`,
    );
  return { tier: "strict", by: "srt" };
}

function automatic(): Pick<Isolation, "tier" | "by" | "why"> {
  const why = whyNoBwrap();
  return why === undefined ? byBwrap("contained") : { tier: "basic", why };
}

function inForce(spec: IsolationSpec): Pick<Isolation, "tier" | "by" | "why"> {
  switch (spec.type) {
    case "auto":
      return automatic();
    case "off":
      return { tier: "basic", why: "switched off" };
    case "strict":
      return strict();
    case "runtime":
      return runtime(spec);
  }
}

function refuseLess({ require }: IsolationSpec, { tier, why }: Pick<Isolation, "tier" | "why">): void {
  if (require === undefined || TIERS.indexOf(tier) >= TIERS.indexOf(require)) return;
  const advice =
    require === "strict"
      ? 'write "isolation: strict", or pass --isolation strict'
      : why === "switched off"
        ? 'write "isolation: auto"'
        : GET_BWRAP;
  throw new UsageError(
    `isolation ${require} is required, and there is only ${tier}${why === undefined ? "" : ` (${why})`}; ${advice}`,
  );
}

/** Throws a UsageError when the machine lacks the required sandbox. Hides the state folder from agents if possible. */
export function resolveIsolation(spec: IsolationSpec, home: Home): Isolation {
  const found = inForce(spec);
  refuseLess(spec, found);
  return { ...found, network: spec.network, hidden: [home.dir], writable: spec.writable };
}
