// What a clock on the wall shows in a time zone, and when it shows it. Without a zone, or with one nobody knows: here.

export interface Wall {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

function formatIn(zone: string | undefined): Intl.DateTimeFormat {
  const options = { hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" } as const;
  const time = { hour: "numeric", minute: "numeric" } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { ...options, ...time, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat("en-US", { ...options, ...time });
  }
}

export function wallIn(zone: string | undefined, at: Date): Wall {
  const parts = formatIn(zone).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return {
    year: part("year"),
    month: part("month") - 1,
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
  };
}

function asUtc({ year, month, day, hour, minute }: Wall): number {
  return Date.UTC(year, month, day, hour, minute);
}

/** Days beyond the month's end are those of the next month. */
export function instantIn(zone: string | undefined, wall: Wall): number {
  const wanted = asUtc(wall);
  const ahead = (at: number) => asUtc(wallIn(zone, new Date(at))) - Math.floor(at / 60_000) * 60_000;
  const guess = wanted - ahead(wanted);
  // The clocks may be changed between the guess and the moment that was meant.
  return wanted - ahead(guess);
}
