// Weights of the model as bars: to the right they raise the chance, to the left they lower it.
import type { LearnedModel } from "#spec/learned";

const WIDEST = 50;

export function Weights({ weights }: Pick<LearnedModel, "weights">) {
  const largest = Math.max(...weights.map(({ mean, deviation }) => Math.abs(mean) + deviation), 1e-9);
  const scaled = (value: number) => (Math.abs(value) / largest) * WIDEST;
  return (
    <details class="weights">
      <summary>What raises and lowers the chance</summary>
      <table>
        <caption class="soft">Weight of each feature in log odds, with its standard deviation</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Feature</th>
            <th scope="col">Bar</th>
            <th scope="col">Weight</th>
          </tr>
        </thead>
        <tbody>
          {weights.map(({ name, mean, deviation }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="weight-cell">
                <div class="weight-bar" aria-hidden="true">
                  <div
                    class={mean < 0 ? "weight-lowers" : "weight-raises"}
                    style={{
                      left: `${mean < 0 ? WIDEST - scaled(mean) : WIDEST}%`,
                      width: `${scaled(mean)}%`,
                    }}
                  />
                </div>
              </td>
              <td class="weight-number">
                {mean < 0 ? "−" : "+"}
                {Math.abs(mean).toFixed(2)} ± {deviation.toFixed(2)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
