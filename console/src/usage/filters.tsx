// The choices of the page of usage: which days, what groups, and what the bars are.
import { useNavigate } from "@tanstack/react-router";
import { Select } from "../ui/field.tsx";
import type { Day } from "./days.ts";
import { OwnDays } from "./own-days.tsx";
import {
  type Days,
  groupingWords,
  type Measure,
  type RangeName,
  rangeWords,
  readUsageSearch,
  type UsageSearch,
} from "./search.ts";

interface FiltersProps {
  search: UsageSearch;
  /** The days that are shown, with which the person's own choice begins. */
  days: Days;
  today: Day;
  measure: Measure;
  /** False for those who see only their own turns. */
  seesAll: boolean;
}

/** Two fill a line of a phone. */
const choice = "max-sm:flex-1 max-sm:basis-2/5";

export function Filters({ search, days, today, measure, seesAll }: FiltersProps) {
  const navigate = useNavigate();
  const change = (changed: Record<string, string | undefined>) =>
    navigate({ to: ".", search: (now: UsageSearch) => readUsageSearch({ ...now, ...changed }), replace: true });
  const isOwn = search.from !== undefined;
  const groupings = Object.entries(groupingWords).filter(([by]) => seesAll || by !== "member" || search.by === by);
  const pick = (name: string) =>
    change(name === "own" ? { ...days, range: undefined } : { from: undefined, to: undefined, range: name });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="Days"
        className={choice}
        value={isOwn ? "own" : (search.range ?? "month")}
        onChange={(event) => pick(event.target.value)}
      >
        {(Object.keys(rangeWords) as RangeName[]).map((name) => (
          <option key={name} value={name}>
            {rangeWords[name]}
          </option>
        ))}
        <option value="own">From day to day</option>
      </Select>
      <Select
        aria-label="Groups"
        className={choice}
        value={search.by ?? "project"}
        onChange={({ target }) => change({ by: target.value })}
      >
        {groupings.map(([by, word]) => (
          <option key={by} value={by}>
            {word}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Bars"
        className={choice}
        value={measure}
        onChange={({ target }) => change({ show: target.value })}
      >
        <option value="cost">Cost</option>
        <option value="tokens">Tokens</option>
      </Select>
      {isOwn && (
        <OwnDays
          key={`${days.from} ${days.to}`}
          days={days}
          today={today}
          onChoose={({ from, to }) => change({ from, to })}
        />
      )}
    </div>
  );
}
