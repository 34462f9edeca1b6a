// Cron expressions in words and as choices, and that the console accepts what the service accepts.
import { describe, expect, test } from "vitest";
import {
  defaultFields,
  describeSchedule,
  findScheduleProblem,
  readFields,
  type ScheduleFields,
  writeExpression,
} from "../../console/src/crons/schedule.ts";
import { checkSchedule } from "../../src/cron/rules/cron.ts";

const now = Date.UTC(2026, 10, 28);

describe("an expression in words", () => {
  test.each([
    ["0 9 * * 1-5", "Every weekday at 09:00"],
    ["0 9 * * MON-FRI", "Every weekday at 09:00"],
    ["0 3 * * *", "Every day at 03:00"],
    ["30 8,17 * * *", "Every day at 08:30 and 17:30"],
    ["0 */6 * * *", "Every day at 00:00, 06:00, 12:00 and 18:00"],
    ["0 * * * *", "Every hour"],
    ["15 * * * *", "Every hour at minute 15"],
    ["*/15 * * * *", "Every 15 minutes"],
    ["5/30 * * * *", "Every 30 minutes from 00:05"],
    ["0 */2 * * *", "Every 2 hours"],
    ["15 1/2 * * *", "Every 2 hours from 01:15"],
    ["*/30 9-17 * * 1-5", "Every weekday, every 30 minutes from 09:00 to 17:30"],
    ["0 9-17 * * *", "Every hour from 09:00 to 17:00"],
    ["0,25,50 * * * *", "At minutes 0, 25 and 50 of every hour"],
    ["0,20 8-12,17 * * *", "At minutes 0 and 20 of the hours 8 to 12 and 17"],
    ["0 9 * * 1", "Every Monday at 09:00"],
    ["0 9 * * 7", "Every Sunday at 09:00"],
    ["0 9 * * sun,sat", "Every Saturday and Sunday at 09:00"],
    ["0 9 * * 1-4", "Every day from Monday to Thursday at 09:00"],
    ["0 9 1 * *", "On the 1st of every month at 09:00"],
    ["0 9 1-7,22 * *", "On the 1st to 7th and 22nd of every month at 09:00"],
    ["0 9 11,13,23 * *", "On the 11th, 13th and 23rd of every month at 09:00"],
    ["0 0 1 1 *", "On the 1st of January at 00:00"],
    ["0 9 * 1,7 *", "Every day in January and July at 09:00"],
    ["0 9 * jun-aug 1", "Every Monday in June to August at 09:00"],
    ["0 9 1 * 1", "On the 1st of every month, and every Monday at 09:00"],
    ["0 9 */10 * 1", "On the 1st, 11th, 21st and 31st of every month, if that is a Monday at 09:00"],
    ["0 9 1 * 0-6", "Every day at 09:00"],
    ["  0\t9 * * *  ", "Every day at 09:00"],
  ])("%s: %s", (expression, words) => expect(describeSchedule(expression)).toBe(words));
});

describe("the choices that mean an expression", () => {
  test.each<[string, Partial<ScheduleFields>]>([
    ["20 * * * *", { every: "hour", minute: 20 }],
    ["05 09 * * *", { every: "day", minute: 5, hour: 9 }],
    ["0 9 * * mon-fri", { every: "weekday" }],
    ["0 9 * * 1,2,3,4,5", { every: "week", days: [1, 2, 3, 4, 5] }],
    ["0 9 * * Tue-Thu", { every: "week", days: [2, 3, 4] }],
    ["0 9 * * 0,7", { every: "week", days: [0] }],
    ["0 18 31 * *", { every: "month", hour: 18, dayOfMonth: 31 }],
  ])("%s", (expression, fields) => expect(readFields(expression)).toEqual({ ...defaultFields, ...fields }));

  test.each([
    ...["*/15 * * * *", "0 9,17 * * *", "0 */2 * * *", "0 9-17 * * *", "0 9 1,15 * *", "0 9 1 1 *", "0 9 1 * 1"],
    ...["0 * * * 1-5", "0 * 1 * *", "0 9 */10 * *", "0 9 * * */2", "0 9 * 1-12 *", "@daily", "", "0 25 * * *"],
  ])("no choices mean %j", (expression) => expect(readFields(expression)).toBeNull());

  test.each<Partial<ScheduleFields>>([
    { every: "hour", minute: 45 },
    { every: "day", hour: 23, minute: 59 },
    { every: "weekday", hour: 7 },
    { every: "week", days: [0, 3, 6] },
    { every: "week", days: [1, 2, 3, 4, 5] },
    { every: "month", dayOfMonth: 29 },
  ])("%j are read as they were written", (fields) => {
    const chosen = { ...defaultFields, hour: fields.every === "hour" ? 9 : 5, ...fields };
    expect(readFields(writeExpression(chosen))).toEqual(chosen);
  });
});

describe("what is no expression", () => {
  test.each([
    ["", "five fields"],
    ["@daily", "five fields"],
    ["0 9 * *", "five fields"],
    ["60 9 * * *", "“60” is not a valid minute."],
    ["0 9 0 * *", "“0” is not a valid day of the month."],
    ["0 9 * * fri-mon", "“fri-mon” is not a valid day of the week."],
    ["0 9 * foo *", "“foo” is not a valid month."],
    ["*/0 * * * *", "“*/0” is not a valid minute."],
    ["0 1-2-3 * * *", "is not a valid hour."],
    ["*/5 * * * *", "every 15 minutes at most"],
    ["0,55 1,2 * * *", "every 15 minutes at most"],
  ])("%j: %s", (expression, words) => expect(findScheduleProblem(expression)).toContain(words));
});

test.each([
  ...[
    "0 9 * * 1-5",
    "*/15 * * * *",
    "*/14 * * * *",
    "5/30 * * * *",
    "0 9 * * 7",
    "0 9 * * 8",
    "0 9 32 * *",
    "0 24 * * *",
  ],
  ...["0 9 * jan *", "0 9 * JAN-mar/2 *", "0 9 * * 5-1", "1,2 * * * *", "0 9 * * 1/2", "0 9 1//2 * *", "-1 9 * * *"],
  ...[
    "0 9 ? * *",
    "0 9 L * *",
    "* * * * *",
    "0  9 * * *",
    "0 9 * * ,",
    "000 9 * * *",
    "0 9 * * mon,1-3",
    "0 9 */31 * *",
  ],
])("the service and the console agree on %j", (expression) => {
  expect(findScheduleProblem(expression) === null).toBe(checkSchedule(expression, "Europe/Berlin", now) === null);
});
