// A date or a time in a client's request. Without a zone, it is UTC.

const moment = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d))?)?$/;

/** Milliseconds since 1970, for a date those of its start; null for any other text. */
export function parseTime(text: string): number | null {
  const found = moment.exec(text);
  if (!found) return null;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "0", sign, ...zone] = found;
  const given = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const;
  const date = new Date(Date.UTC(...given));
  // A nonexistent day or hour would roll over into the next one.
  const read = [
    ...[date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()],
    ...[date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()],
  ];
  if (read.some((part, place) => part !== given[place])) return null;
  const [zoneHours = 0, zoneMinutes = 0] = zone.map((part) => Number(part ?? 0));
  if (zoneHours > 23 || zoneMinutes > 59) return null;
  const zoneMs = (zoneHours * 60 + zoneMinutes) * 60_000 * (sign === "-" ? -1 : 1);
  return date.getTime() + Math.floor(Number(`0.${fraction}`) * 1_000) - zoneMs;
}
