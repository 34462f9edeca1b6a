// The choice of a schedule in words, with fields for the time and the days.
import { useState } from "react";
import { Field, Select, TextInput } from "../ui/field.tsx";
import {
  dayNames,
  defaultFields,
  describeSchedule,
  type Every,
  findScheduleProblem,
  formatTime,
  readFields,
  type ScheduleFields,
  writeExpression,
} from "./schedule.ts";

const choices: [every: Every, word: string][] = [
  ["hour", "Every hour"],
  ["day", "Every day"],
  ["weekday", "Every weekday"],
  ["week", "Every week"],
  ["month", "Every month"],
  ["own", "Own cron expression"],
];
/** The week begins on Monday. */
const week = [1, 2, 3, 4, 5, 6, 0];
const everyFive = Array.from({ length: 12 }, (_, at) => at * 5);
const monthDays = Array.from({ length: 31 }, (_, at) => at + 1);

interface ScheduleBuilderProps {
  expression: string;
  /** The timezone of the workspace; null until it is known. */
  timezone: string | null;
  onChange: (expression: string) => void;
}

export function ScheduleBuilder({ expression, timezone, onChange }: ScheduleBuilderProps) {
  const [fields, setFields] = useState<ScheduleFields>(() => readFields(expression) ?? defaultFields);
  const [every, setEvery] = useState<Every>(() => readFields(expression)?.every ?? "own");
  const change = (changed: Partial<ScheduleFields>) => {
    const next = { ...fields, ...changed };
    setFields(next);
    onChange(writeExpression(next));
  };
  const choose = (chosen: Every) => {
    setEvery(chosen);
    // An expression of one's own begins with what was chosen before.
    if (chosen !== "own") change({ every: chosen });
  };
  const words = describeSchedule(expression);
  const problem = findScheduleProblem(expression);
  return (
    <div>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <Field label="Schedule">
          <Select value={every} onChange={({ target }) => choose(target.value as Every)}>
            {choices.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </Select>
        </Field>
        {every === "hour" && (
          <Field label="Minute">
            <Numbers
              value={fields.minute}
              numbers={everyFive.includes(fields.minute) ? everyFive : [...everyFive, fields.minute]}
              onChange={(minute) => change({ minute })}
            />
          </Field>
        )}
        {every === "month" && (
          <Field label="Day of the month">
            <Numbers value={fields.dayOfMonth} numbers={monthDays} onChange={(dayOfMonth) => change({ dayOfMonth })} />
          </Field>
        )}
        {every !== "hour" && every !== "own" && <Time fields={fields} onChange={change} />}
      </div>
      {every === "own" && <Expression value={expression} onChange={onChange} />}
      {every === "week" && <Days chosen={fields.days} onChange={(days) => change({ days })} />}
      <p role="status" className={`mt-2 text-ui ${problem === null ? "text-quiet" : "text-amber-ink"}`}>
        {problem ?? `${words}${timezone === null ? "" : `, ${timezone}`}.`}
        {every === "month" && fields.dayOfMonth > 28 && " Months without that day are left out."}
      </p>
    </div>
  );
}

interface NumbersProps {
  value: number;
  numbers: number[];
  onChange: (value: number) => void;
}

function Numbers({ value, numbers, onChange }: NumbersProps) {
  return (
    <Select value={value} onChange={({ target }) => onChange(Number(target.value))}>
      {[...numbers]
        .sort((one, other) => one - other)
        .map((number) => (
          <option key={number} value={number}>
            {number}
          </option>
        ))}
    </Select>
  );
}

function Time({ fields: { hour, minute }, onChange }: { fields: ScheduleFields; onChange: NewTime }) {
  return (
    <Field label="Time">
      <TextInput
        type="time"
        className="w-auto! min-w-32 pointer-fine:min-h-8"
        value={formatTime(hour, minute)}
        required
        onChange={({ target }) => {
          const [hours, minutes] = target.value.split(":").map(Number);
          // A time that is half typed is none yet.
          if (hours !== undefined && minutes !== undefined) onChange({ hour: hours, minute: minutes });
        }}
      />
    </Field>
  );
}

type NewTime = (time: { hour: number; minute: number }) => void;

function Expression({ value, onChange }: { value: string; onChange: (expression: string) => void }) {
  return (
    <div className="mt-3">
      <Field
        label="Cron expression"
        hint="Minute, hour, day of the month, month, day of the week. Lists (1,3), ranges (1-5) and steps (*/2) work."
      >
        <TextInput
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className="font-mono"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={1_000}
          required
        />
      </Field>
    </div>
  );
}

function Days({ chosen, onChange }: { chosen: readonly number[]; onChange: (days: number[]) => void }) {
  return (
    <fieldset className="mt-3 flex flex-wrap gap-1.5">
      <legend className="mb-1 font-medium text-ui">On</legend>
      {week.map((day) => {
        const isChosen = chosen.includes(day);
        return (
          <label
            key={day}
            title={dayNames[day]}
            className={`relative inline-flex min-h-9 cursor-pointer items-center rounded-control border px-3 text-ui has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-11 ${isChosen ? "border-accent bg-accent-tint font-medium text-accent" : "border-line-strong/50 text-quiet hover:bg-sunk"}`}
          >
            <input
              type="checkbox"
              className="absolute inset-0 cursor-pointer opacity-0"
              checked={isChosen}
              // A week has one day at least.
              disabled={isChosen && chosen.length === 1}
              onChange={() => onChange(isChosen ? chosen.filter((one) => one !== day) : [...chosen, day])}
            />
            <span aria-hidden="true">{dayNames[day]?.slice(0, 3)}</span>
            <span className="sr-only">{dayNames[day]}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
