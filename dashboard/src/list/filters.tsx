// Filters of the list: search text and states.
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { StateWord } from "#spec/overview";
import { stateName } from "#text/words";
import { setQuery } from "../router.ts";
import { type Filter, STATES } from "./runs.ts";

const TYPING_MS = 250;

function toggle(states: readonly StateWord[], state: StateWord): string {
  const next = states.includes(state) ? states.filter((each) => each !== state) : [...states, state];
  return next.join(",");
}

function Search({ text, input }: { text: string; input: RefObject<HTMLInputElement | null> }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => setQuery({ q: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, text]);
  return (
    <input
      ref={input}
      type="search"
      aria-label="Search runs"
      placeholder="Search runs  ( / )"
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}

export function Filters({ filter, input }: { filter: Filter; input: RefObject<HTMLInputElement | null> }) {
  const { states, text, workspace } = filter;
  return (
    <search class="filters">
      <Search text={text} input={input} />
      <fieldset class="chips">
        <legend class="visually-hidden">State</legend>
        {STATES.map((state) => (
          <button
            key={state}
            type="button"
            class={`chip state-${state}`}
            aria-pressed={states.includes(state)}
            onClick={() => setQuery({ state: toggle(states, state) })}
          >
            {stateName(state)}
          </button>
        ))}
        {workspace && (
          <button type="button" class="chip" aria-pressed="true" onClick={() => setQuery({ workspace: "" })}>
            in {workspace} ✕
          </button>
        )}
      </fieldset>
    </search>
  );
}
