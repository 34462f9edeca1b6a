// The timetable and the next departures.

/** The trains of every hour, by their minute. */
export const timetable = [
  { line: "S1", to: "Harbour", platform: 1, minute: 4, delayMinutes: 0 },
  { line: "R7", to: "Old Mill", platform: 3, minute: 11, delayMinutes: 3 },
  { line: "IC", to: "Northgate Central", platform: 5, minute: 17, delayMinutes: 0 },
  { line: "S2", to: "Airport", platform: 2, minute: 26, delayMinutes: 0 },
  { line: "S1", to: "Harbour", platform: 1, minute: 34, delayMinutes: 0 },
  { line: "R9", to: "Lakeside", platform: 4, minute: 41, delayMinutes: 6 },
  { line: "NX", to: "Summit Valley", platform: 6, minute: 52, delayMinutes: 0 },
];

/** The next departures after a moment, soonest first. */
export function nextDepartures(now, count = 6) {
  const hourStart = new Date(now);
  hourStart.setMinutes(0, 0, 0);
  const hours = [0, 1, 2];
  return hours
    .flatMap((hour) => timetable.map((train) => departure(train, hourStart, hour)))
    .filter(({ leavesAt }) => Date.parse(leavesAt) > now.getTime())
    .sort((a, b) => Date.parse(a.leavesAt) - Date.parse(b.leavesAt))
    .slice(0, count);
}

function departure({ line, to, platform, minute, delayMinutes }, hourStart, hour) {
  const minutes = hour * 60 + minute + delayMinutes;
  return { line, to, platform, delayMinutes, leavesAt: new Date(hourStart.getTime() + minutes * 60_000).toISOString() };
}
