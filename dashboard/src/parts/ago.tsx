// Relative time that stays current.
import { ago, moment } from "#text/format";
import { useEverySecond } from "../clock.ts";

export function Ago({ time }: { time: string }) {
  const text = useEverySecond(() => ago(time, Date.now()));
  return (
    <time dateTime={time} title={moment(time)}>
      {text}
    </time>
  );
}
