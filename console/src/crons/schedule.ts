// A cron expression in words, and as the choices of a form. The service parses expressions by the
// same grammar, and has the last word.

/** How often a form lets a cron fire; `own` is an expression that the fields cannot show. */
export type Every = "hour" | "day" | "weekday" | "week" | "month" | "own";

export interface ScheduleFields {
  every: Exclude<Every, "own">;
  minute: number;
  hour: number;
  /** From 0 for Sunday; of `week` only. */
  days: readonly number[];
  dayOfMonth: number;
}

export const defaultFields: ScheduleFields = { every: "weekday", minute: 0, hour: 9, days: [1], dayOfMonth: 1 };

/** The shortest time between two fires. */
const floorMinutes = 15;
const dayMinutes = 1_440;

export const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const monthNames = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];
const shorten = (names: string[]) => names.map((name) => name.slice(0, 3).toLowerCase());

interface Field {
  name: string;
  min: number;
  max: number;
  names?: string[];
}

const grammar: Field[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of the month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12, names: shorten(monthNames) },
  { name: "day of the week", min: 0, max: 7, names: shorten(dayNames) },
];

const splitParts = (expression: string) => expression.split(/[ \t]+/).filter((part) => part !== "");

function parseNumber(text: string): number | null {
  return /^\d{1,2}$/.test(text) ? Number(text) : null;
}

function parseValue({ min, max, names = [] }: Field, text: string): number | null {
  const place = names.indexOf(text.toLowerCase());
  const value = place === -1 ? parseNumber(text) : min + place;
  return value !== null && value >= min && value <= max ? value : null;
}

/** The values of one field, such as `1-5` or `*` with a step; null for any other text. */
function parseField(field: Field, text: string): Set<number> | null {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const [span = "", stepText, ...more] = item.split("/");
    const step = stepText === undefined ? 1 : parseNumber(stepText);
    if (more.length > 0 || step === null || step < 1 || step > field.max) return null;
    const [fromText = "", toText, ...others] = span === "*" ? [String(field.min), String(field.max)] : span.split("-");
    const from = parseValue(field, fromText);
    const last = toText === undefined ? (stepText === undefined ? from : field.max) : parseValue(field, toText);
    if (others.length > 0 || from === null || last === null || last < from) return null;
    for (let value = from; value <= last; value += step) values.add(value);
  }
  return values;
}

interface Schedule {
  minutes: number[];
  hours: number[];
  daysOfMonth: number[];
  months: number[];
  daysOfWeek: number[];
  /** True if a day matches by either day field, and false if it has to match by both. */
  isEitherDay: boolean;
}

function parseSchedule(expression: string): Schedule | null {
  const parts = splitParts(expression);
  const values = grammar.map((field, place) => parseField(field, parts[place] ?? ""));
  if (parts.length !== grammar.length || values.includes(null)) return null;
  const sorted = values.map((set) => [...(set ?? [])].sort((one, other) => one - other));
  const [minutes = [], hours = [], daysOfMonth = [], months = [], week = []] = sorted;
  const daysOfWeek = [...new Set(week.map((day) => day % 7))].sort((one, other) => one - other);
  const isOpen = (place: number) => parts[place]?.startsWith("*") === true;
  return { minutes, hours, daysOfMonth, months, daysOfWeek, isEitherDay: !isOpen(2) && !isOpen(4) };
}

/** The times of a day, in minutes since midnight. */
const listTimes = ({ hours, minutes }: Schedule) =>
  hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));

/** What is wrong with an expression, as far as it is seen without a calendar; null for nothing. */
export function findScheduleProblem(expression: string): string | null {
  const parts = splitParts(expression);
  if (parts.length !== grammar.length)
    return "An expression has five fields: minute, hour, day of the month, month and day of the week.";
  const wrong = grammar.findIndex((field, place) => parseField(field, parts[place] ?? "") === null);
  if (wrong !== -1) return `“${parts[wrong]}” is not a valid ${grammar[wrong]?.name}.`;
  const schedule = parseSchedule(expression);
  const times = schedule ? listTimes(schedule) : [];
  const isTooOften = times.some((time, place) => time - (times[place - 1] ?? Number.NEGATIVE_INFINITY) < floorMinutes);
  return isTooOften ? `A cron fires every ${floorMinutes} minutes at most.` : null;
}

/** The choices of the form that mean an expression; null where no choices do. */
export function readFields(expression: string): ScheduleFields | null {
  const parts = splitParts(expression);
  const schedule = parseSchedule(expression);
  if (!schedule) return null;
  const [, hourPart = "", dayPart = "", monthPart, weekPart = ""] = parts;
  const [minute = 0, ...moreMinutes] = schedule.minutes;
  const [hour = 0, ...moreHours] = schedule.hours;
  const [dayOfMonth = 1, ...moreDays] = schedule.daysOfMonth;
  if (moreMinutes.length > 0 || monthPart !== "*") return null;
  const fields = { ...defaultFields, minute };
  if (hourPart === "*") return dayPart === "*" && weekPart === "*" ? { ...fields, every: "hour" } : null;
  if (moreHours.length > 0) return null;
  const daily = { ...fields, hour };
  if (dayPart === "*" && weekPart === "*") return { ...daily, every: "day" };
  if (dayPart === "*" && /^(1-5|mon-fri)$/i.test(weekPart)) return { ...daily, every: "weekday" };
  if (dayPart === "*" && !weekPart.startsWith("*")) return { ...daily, every: "week", days: schedule.daysOfWeek };
  return weekPart === "*" && moreDays.length === 0 ? { ...daily, every: "month", dayOfMonth } : null;
}

/** The expression that choices of the form mean. */
export function writeExpression({ every, minute, hour, days, dayOfMonth }: ScheduleFields): string {
  switch (every) {
    case "hour":
      return `${minute} * * * *`;
    case "day":
      return `${minute} ${hour} * * *`;
    case "weekday":
      return `${minute} ${hour} * * 1-5`;
    case "week":
      return `${minute} ${hour} * * ${[...days].sort((one, other) => one - other).join(",")}`;
    case "month":
      return `${minute} ${hour} ${dayOfMonth} * *`;
  }
}

/** A time of a day, such as `09:05`. */
export function formatTime(hour: number, minute: number): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

const formatMinutes = (time: number) => formatTime(Math.floor(time / 60), time % 60);

/** `1`, `1 and 2`, `1, 2 and 5`. */
function joinWords(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Values in words, with three or more in a row as one span: `1 to 5 and 9`. */
function joinValues(values: readonly number[], format: (value: number) => string): string {
  const runs: number[][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run?.at(-1) === value - 1) run.push(value);
    else runs.push([value]);
  }
  return joinWords(
    runs.flatMap((run) =>
      run.length < 3 ? run.map(format) : [`${format(run[0] ?? 0)} to ${format(run.at(-1) ?? 0)}`],
    ),
  );
}

function formatOrdinal(day: number): string {
  const ending = day > 10 && day < 14 ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th");
  return `${day}${ending}`;
}

const formatStep = (minutes: number) =>
  minutes === 60 ? "hour" : minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;

/** The longest list of times that is read at a glance. */
const listedTimes = 4;

/** The times of a day in words; `isList` where they are named one by one. */
function describeTimes(schedule: Schedule): { words: string; isList: boolean } {
  const times = listTimes(schedule);
  const [first = 0, second = 0] = times;
  const last = times.at(-1) ?? 0;
  if (times.length <= listedTimes) return { words: `at ${joinWords(times.map(formatMinutes))}`, isList: true };
  const step = second - first;
  if (times.every((time, place) => time === first + place * step)) {
    const every = `every ${formatStep(step)}`;
    if (times.length * step !== dayMinutes)
      return { words: `${every} from ${formatMinutes(first)} to ${formatMinutes(last)}`, isList: false };
    if (first === 0) return { words: every, isList: false };
    return {
      words: step === 60 ? `${every} at minute ${first}` : `${every} from ${formatMinutes(first)}`,
      isList: false,
    };
  }
  const { minutes, hours } = schedule;
  const ofHours = hours.length === 24 ? "every hour" : `the hours ${joinValues(hours, String)}`;
  const words = `at minute${minutes.length > 1 ? "s" : ""} ${joinValues(minutes, String)} of ${ofHours}`;
  return { words, isList: false };
}

function describeWeek(days: readonly number[]): string {
  // The week begins on Monday.
  const ordered = days.map((day) => day || 7).sort((one, other) => one - other);
  if (ordered.join("") === "12345") return "every weekday";
  const first = ordered[0] ?? 1;
  const name = (day: number) => dayNames[day % 7] ?? "";
  const isRun = ordered.length > 2 && ordered.every((day, place) => day === first + place);
  if (isRun) return `every day from ${name(first)} to ${name(ordered.at(-1) ?? 1)}`;
  return `every ${joinWords(ordered.map(name))}`;
}

/** The days in words; null for all of them. */
function describeDays({ daysOfMonth, months, daysOfWeek, isEitherDay }: Schedule): string | null {
  const isAnyOfMonth = daysOfMonth.length === 31;
  const isAnyOfWeek = daysOfWeek.length === 7;
  const inMonths = months.length === 12 ? null : joinValues(months, (month) => monthNames[month - 1] ?? "");
  const isAny = isEitherDay ? isAnyOfMonth || isAnyOfWeek : isAnyOfMonth && isAnyOfWeek;
  if (isAny) return inMonths && `every day in ${inMonths}`;
  const ofMonth = `on the ${joinValues(daysOfMonth, formatOrdinal)} of ${inMonths ?? "every month"}`;
  const ofWeek = describeWeek(daysOfWeek);
  if (isAnyOfWeek) return ofMonth;
  if (isAnyOfMonth) return inMonths ? `${ofWeek} in ${inMonths}` : ofWeek;
  const isBoth = `${ofMonth}, if that is ${ofWeek.replace(/^every (day from )?/, (_, span) => (span ? "from " : "a "))}`;
  return isEitherDay ? `${ofMonth}, and ${inMonths ? `${ofWeek} in ${inMonths}` : ofWeek}` : isBoth;
}

/** An expression in words, such as `Every weekday at 09:00`; null for what is none. */
export function describeSchedule(expression: string): string | null {
  const schedule = parseSchedule(expression);
  if (!schedule) return null;
  const { words, isList } = describeTimes(schedule);
  const days = describeDays(schedule) ?? (isList ? "every day" : null);
  const text = days === null ? words : `${days}${isList ? " " : ", "}${words}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
