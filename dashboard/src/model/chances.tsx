// Chances in typical situations as bars: learned value, its interval, and the value before learning.
import type { Situation } from "#spec/learned";
import { likelihood } from "#text/format";

const at = (share: number) => `${Math.min(Math.max(share, 0), 1) * 100}%`;

function Bar({ situation: { chance: learned, interval, before } }: { situation: Situation }) {
  const [low, high] = interval;
  return (
    <div class="chance-bar" aria-hidden="true">
      <div class="chance-interval" style={{ left: at(low), width: at(high - low) }} />
      <div class="chance-learned" style={{ width: at(learned) }} />
      <div class="chance-before" style={{ left: at(before) }} />
    </div>
  );
}

export function Chances({ situations }: { situations: readonly Situation[] }) {
  return (
    <table class="chances">
      <caption class="visually-hidden">Chance that the next iteration passes</caption>
      <thead>
        <tr>
          <th scope="col">Situation</th>
          <th scope="col">Passes next</th>
          <th scope="col">80% interval</th>
          <th scope="col">Before learning</th>
        </tr>
      </thead>
      <tbody>
        {situations.map((situation) => (
          <tr key={situation.name}>
            <th scope="row">
              {situation.name}
              <Bar situation={situation} />
            </th>
            <td>
              <strong>{likelihood(situation.chance)}</strong>
            </td>
            <td>
              {likelihood(situation.interval[0])} to {likelihood(situation.interval[1])}
            </td>
            <td class="soft">{likelihood(situation.before)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
