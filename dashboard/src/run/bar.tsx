// Usage of one limit as a bar.

export interface BarProps {
  readonly name: string;
  readonly used: number;
  /** Absent without a limit. */
  readonly most?: number | undefined;
  readonly words: (value: number) => string;
}

export function Bar({ name, used, most, words }: BarProps) {
  const share = most === undefined || most === 0 ? 0 : Math.min(1, used / most);
  const text = most === undefined ? words(used) : `${words(used)} of ${words(most)}`;
  return (
    <div class="budget">
      <span class="budget-name">{name}</span> <span class="budget-words">{text}</span>
      {most !== undefined && (
        <span class={share >= 0.9 ? "bar bar-high" : "bar"} aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </div>
  );
}
