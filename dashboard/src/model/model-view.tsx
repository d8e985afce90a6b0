// What the adaptive strategy has learned about when to stop.
import "./model.css";
import type { LearnedModel } from "#spec/learned";
import { baseName, plural } from "../format.ts";
import { Failure } from "../parts/failure.tsx";
import { Notice } from "../parts/notice.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { agentName } from "./agent-name.ts";
import { Chances } from "./chances.tsx";
import { Weights } from "./weights.tsx";

function Model({ model }: { model: LearnedModel }) {
  const name = `${baseName(model.workspace)} with ${agentName(model.agent)}`;
  return (
    <section class="card model" aria-label={name}>
      <div class="card-head">
        <h2>{name}</h2>
        <span class="soft mono">{model.workspace}</span>
      </div>
      <p class="soft">
        Learned from {plural(model.runs, "run")}, with {plural(model.transitions, "iteration")} that did not
        pass.
      </p>
      <Chances situations={model.situations} />
      <p class="soft model-key">
        <span class="key-learned" aria-hidden="true" /> chance that the next iteration passes
        <span class="key-interval" aria-hidden="true" /> where it lies in four of five cases
        <span class="key-before" aria-hidden="true" /> before anything was learned
      </p>
      <Weights weights={model.weights} />
    </section>
  );
}

function Nothing() {
  return (
    <Notice tone="plain" title="Nothing has been learned yet">
      <p>
        Every run that ends teaches something: after which iterations success still came, and after which it
        never did. It is kept for each project and agent.
      </p>
      <p>
        A task with <code>strategy: adaptive</code> uses it: it goes on while the chance of success is worth
        the next iteration, and stops when it is not. Before there are lessons it goes by what holds for most
        projects.
      </p>
      <p>
        <a href="#/new">Start a run</a>, and look here again when it has ended.
      </p>
    </Notice>
  );
}

export default function ModelView() {
  const { value: models, error } = useAnswer<readonly LearnedModel[]>("/model");
  return (
    <>
      <h1>What has been learned</h1>
      <p class="soft">When another iteration is worth it, by project and agent.</p>
      <Failure error={error} />
      {models?.length === 0 && <Nothing />}
      {models?.map((model) => (
        <Model key={`${model.workspace} ${model.agent}`} model={model} />
      ))}
    </>
  );
}
