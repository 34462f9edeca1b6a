// The first and the last day of a report, which the person chooses. They count when they are sent:
// a date that is half typed is another date.
import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { fieldClass } from "../ui/field.tsx";
import type { Day } from "./days.ts";
import type { Days } from "./search.ts";

interface OwnDaysProps {
  days: Days;
  today: Day;
  onChoose: (days: Days) => void;
}

export function OwnDays({ days, today, onChoose }: OwnDaysProps) {
  const [{ from, to }, setTyped] = useState(days);
  const isOver = from !== "" && to !== "" && from > to;

  function send(event: FormEvent): void {
    event.preventDefault();
    onChoose({ from, to });
  }

  return (
    <form onSubmit={send} className="flex flex-wrap items-center gap-2">
      <input
        type="date"
        aria-label="First day"
        value={from}
        max={today}
        required
        onChange={({ target }) => setTyped({ from: target.value, to })}
        className={`${fieldClass} w-auto!`}
      />
      <input
        type="date"
        aria-label="Last day"
        value={to}
        max={today}
        required
        onChange={({ target }) => setTyped({ from, to: target.value })}
        className={`${fieldClass} w-auto!`}
      />
      <Button type="submit" disabled={isOver || (from === days.from && to === days.to)}>
        Show
      </Button>
      <span role="status" className="text-meta text-red-ink">
        {isOver ? "The first day is after the last." : ""}
      </span>
    </form>
  );
}
