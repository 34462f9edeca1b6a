// The numbers of a report as a table. Its costs add up to the total of the service, to the cent.

import { Link } from "@tanstack/react-router";
import { Name } from "../ui/visible-text.tsx";
import { formatCents, formatCount, formatExactUsd, formatNumberOf, formatUsd } from "./amounts.ts";
import type { Sum, Table } from "./report.ts";

const columns = [
  ["Turns", "w-16"],
  ["Calls", "w-16"],
  ["Input", "w-26"],
  ["Cached", "w-26"],
  ["Output", "w-26"],
] as const;

interface UsageTableProps {
  table: Table;
  /** What the groups are, such as `Project`. */
  noun: string;
}

export function UsageTable({ table: { rows, total, roundingCents }, noun }: UsageTableProps) {
  const hasFree = rows.some(({ costUsd }) => costUsd === null);
  return (
    <>
      <table className="w-full table-fixed border-collapse text-left">
        <thead className="border-line border-b text-meta text-quiet">
          <tr>
            <th scope="col" className="py-2 pr-3 font-medium">
              {noun}
            </th>
            {columns.map(([word, width]) => (
              <th key={word} scope="col" className={`${wide} ${width} font-medium`}>
                {word}
              </th>
            ))}
            <th scope="col" className={`${number} w-24 font-medium`}>
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} className="border-line border-b">
              <th scope="row" className="py-2 pr-3 font-normal">
                {row.page === null ? (
                  <Name className="[overflow-wrap:anywhere]">{row.name}</Name>
                ) : (
                  <Link
                    {...row.page}
                    className="underline decoration-line-strong underline-offset-2 [overflow-wrap:anywhere] hover:decoration-current"
                  >
                    <Name>{row.name}</Name>
                  </Link>
                )}
                <Narrow sum={row} />
              </th>
              <Numbers sum={row} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          {roundingCents !== 0 && (
            <tr className="text-quiet">
              <th scope="row" className="py-2 pr-3 font-normal">
                Rounding of the rows
              </th>
              <td colSpan={5} className="hidden @3xl:table-cell" />
              <td className={number}>{formatCents(roundingCents)}</td>
            </tr>
          )}
          <tr className="font-medium">
            <th scope="row" className="py-2 pr-3">
              Total
              <Narrow sum={total} />
            </th>
            <Numbers sum={total} />
          </tr>
        </tfoot>
      </table>
      <p className="mt-2 text-meta text-quiet">
        Turns include commands, drafts of commit messages, and generated titles.
      </p>
      {hasFree && (
        <p className="mt-2 text-meta text-quiet">
          – All of it ran on members' own subscriptions, which cost the workspace nothing.
        </p>
      )}
    </>
  );
}

function Numbers({ sum }: { sum: Sum }) {
  const counts = [sum.jobs, sum.calls, sum.inputTokens, sum.cachedTokens, sum.outputTokens];
  return (
    <>
      {counts.map((count, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns have their places.
        <td key={place} className={wide}>
          {formatCount(count)}
        </td>
      ))}
      <td className={number} title={sum.costUsd === null ? undefined : formatExactUsd(sum.costUsd)}>
        {formatUsd(sum.costUsd)}
      </td>
    </>
  );
}

/** The counts below the name, where there is no room for columns. */
const Narrow = ({ sum }: { sum: Sum }) => (
  <span className="flex flex-wrap gap-x-2 font-normal text-meta text-quiet @3xl:hidden">
    <span>{formatNumberOf(sum.jobs, "turn")}</span>
    <span>{formatNumberOf(sum.calls, "call")}</span>
    <span>{formatCount(sum.inputTokens)} in</span>
    <span>{formatCount(sum.cachedTokens)} cached</span>
    <span>{formatCount(sum.outputTokens)} out</span>
  </span>
);

const number = "py-2 text-right align-top tabular-nums";
const wide = `${number} hidden @3xl:table-cell`;
