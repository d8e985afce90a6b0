// Converts between instants and local time in a time zone. An absent or unknown zone means the system's.

export interface LocalTime {
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

export function localTimeIn(zone: string | undefined, at: Date): LocalTime {
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

function asUtc({ year, month, day, hour, minute }: LocalTime): number {
  return Date.UTC(year, month, day, hour, minute);
}

/** Days beyond the end of a month count into the next one. */
export function instantIn(zone: string | undefined, wall: LocalTime): number {
  const wanted = asUtc(wall);
  const offsetAt = (at: number) => asUtc(localTimeIn(zone, new Date(at))) - Math.floor(at / 60_000) * 60_000;
  const guess = wanted - offsetAt(wanted);
  // Daylight saving may change between the guess and the result, so compute the offset again.
  return wanted - offsetAt(guess);
}
