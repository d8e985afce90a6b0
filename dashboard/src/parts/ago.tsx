// How long ago something was, kept right.
import { useEverySecond } from "../clock.ts";
import { ago, moment } from "../format.ts";

export function Ago({ time }: { time: string }) {
  const text = useEverySecond(() => ago(time, Date.now()));
  return (
    <time dateTime={time} title={moment(time)}>
      {text}
    </time>
  );
}
