// View: what the adaptive strategy has learned about when to stop.
import "./model.css";
import type { LearnedModel } from "#spec/learned";
import { counted } from "#text/format";
import { baseName } from "../base-name.ts";
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
        Learned from {counted(model.runs, "run")}, with {counted(model.transitions, "iteration")} that did not
        pass.
      </p>
      <Chances situations={model.situations} />
      <p class="soft model-key">
        <span class="key-learned" aria-hidden="true" /> chance that the next iteration passes
        <span class="key-interval" aria-hidden="true" /> 80% interval
        <span class="key-before" aria-hidden="true" /> before learning
      </p>
      <Weights weights={model.weights} />
    </section>
  );
}

function Nothing() {
  return (
    <Notice tone="plain" title="Nothing has been learned yet">
      <p>
        Every run that ends adds to the model: when later iterations still succeeded, and when they no longer
        did. There is one model per project and agent.
      </p>
      <p>
        A task with <code>strategy: adaptive</code> uses it: it continues while the chance of success is worth
        another iteration, and stops when it is not. Until a project has a model, it uses one that fits most
        projects.
      </p>
      <p>
        <a href="#/new">Start a run</a> and come back when it has ended.
      </p>
    </Notice>
  );
}

export default function ModelView() {
  const { value: models, error } = useAnswer<readonly LearnedModel[]>("/model");
  return (
    <>
      <h1>What has been learned</h1>
      <p class="soft">When another iteration is worth its cost, by project and agent.</p>
      <Failure error={error} />
      {models?.length === 0 && <Nothing />}
      {models?.map((model) => (
        <Model key={`${model.workspace} ${model.agent}`} model={model} />
      ))}
    </>
  );
}
