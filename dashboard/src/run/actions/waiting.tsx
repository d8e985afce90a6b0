// Form to approve or reject the gates that wait for a person.
import { useState } from "preact/hooks";
import { moment } from "#text/format";
import { Notice } from "../../parts/notice.tsx";
import { useRun } from "../run-context.ts";
import { readFields } from "./action-dialog.tsx";
import { useTell } from "./use-tell.ts";
import { remember, remembered } from "./who.ts";

function Answer({ gate, onDone }: { gate: string; onDone: (words: string) => void }) {
  const { busy, problem, send } = useTell(`Your answer for ${gate} was sent.`, onDone);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const answer = event.submitter instanceof HTMLButtonElement ? event.submitter.value : "";
    const given = readFields(form, "by", "message");
    remember(given.by ?? "");
    void send(answer === "reject" ? "reject" : "approve", { gate, ...given });
  };
  return (
    <form class="row" onSubmit={submit} aria-label={`Answer for ${gate}`}>
      <strong class="answer-gate">{gate}</strong>
      <label>
        <span>Your name</span>
        <input name="by" required autocomplete="name" defaultValue={remembered()} />
      </label>
      <label class="grow">
        <span>Message (optional)</span>
        <input name="message" autocomplete="off" />
      </label>
      <button type="submit" class="primary" value="approve" disabled={busy}>
        Approve
      </button>
      <button type="submit" class="danger" value="reject" disabled={busy}>
        Reject
      </button>
      {problem && (
        <p class="error-words" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

export function Waiting() {
  const { waitingFor, state, actions } = useRun().overview;
  const [words, setWords] = useState("");
  const gates = actions.includes("approve") ? (waitingFor?.gates ?? []) : [];
  if (state !== "waiting" && gates.length === 0) return null;
  return (
    <section aria-label="Waiting for a person">
      <Notice tone="warn">
        <p>
          <strong>Waiting for a person:</strong> {waitingFor?.reason}
          {waitingFor?.until && ` (until ${moment(waitingFor.until)})`}
        </p>
        {gates.map((gate) => (
          <Answer key={gate} gate={gate} onDone={setWords} />
        ))}
        {words && <p role="status">{words}</p>}
      </Notice>
    </section>
  );
}
