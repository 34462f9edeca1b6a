// Rows in groups: those near to what is seen are drawn, and the others are their words in one
// place, where a search of the page and a screen reader still find them.
import type { ReactNode } from "react";
import { groupRows, type Row, readRow } from "./rows.ts";
import { useNear } from "./use-near.ts";

const rowPixels = 34;
/** The groups at the beginning and at the end are drawn immediately: one of them is seen. */
const [firstGroups, lastGroups] = [1, 2];

interface NearRowsProps<Of extends Row> {
  rows: readonly Of[];
  children: (row: Of) => ReactNode;
}

export function NearRows<Of extends Row>({ rows, children }: NearRowsProps<Of>) {
  const groups = groupRows(rows);
  return groups.map((group, at) => (
    <Group
      key={group.key}
      group={group}
      isNearAtFirst={at < firstGroups || at >= groups.length - lastGroups}
      // What grows is always drawn.
      isKept={at === groups.length - 1}
    >
      {children}
    </Group>
  ));
}

interface GroupProps<Of extends Row> {
  group: { key: string; rows: Of[] };
  isNearAtFirst: boolean;
  isKept: boolean;
  children: (row: Of) => ReactNode;
}

function Group<Of extends Row>({ group: { key, rows }, isNearAtFirst, isKept, children }: GroupProps<Of>) {
  const { place, isNear, height } = useNear<HTMLDivElement>(key, isNearAtFirst, rows.length * rowPixels);
  if (isNear || isKept)
    return (
      <div ref={place} className="flex min-w-0 flex-col gap-1">
        {rows.map(children)}
      </div>
    );
  return (
    <div
      ref={place}
      data-place
      dir="auto"
      style={{ height }}
      className="overflow-hidden whitespace-pre-wrap text-quiet [contain:strict] [overflow-wrap:anywhere]"
    >
      {rows.map(readRow).join("\n")}
    </div>
  );
}
