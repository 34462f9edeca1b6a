// The groups of a report as bars. The arrow keys walk through the bars; the one that is pointed at
// or focused shows all of its numbers, and leads to the page of its group.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { formatShortCount, formatUsd } from "./amounts.ts";
import { type Axis, makeAxis } from "./axis.ts";
import { formatTick, getTokens, listNumbers, measure, type Row } from "./report.ts";
import type { Measure } from "./search.ts";
import { useWalk } from "./use-walk.ts";

const rowHeight = 44;
const axisHeight = 24;
const barTop = 24;
const barHeight = 12;
/** How far the ground of a bar that is pointed at reaches beyond the plot. */
const spill = 6;

const formatMeasure = (row: Row, by: Measure): string =>
  by === "cost" ? formatUsd(row.costUsd) : formatShortCount(getTokens(row));

interface PlotProps {
  bars: readonly Row[];
  by: Measure;
  label: string;
}

export function Plot({ bars, by, label }: PlotProps) {
  const { shown, picture, part } = useWalk({ count: bars.length, first: 0, back: "ArrowUp", forward: "ArrowDown" });
  const largest = Math.max(0, ...bars.map((row) => measure(row, by)));
  const axis = makeAxis(largest, { isWhole: by === "tokens" });
  const height = bars.length * rowHeight;
  const shownBar = shown === null ? undefined : bars[shown];

  return (
    <div className="relative">
      <Lines axis={axis} by={by} height={height} />
      {/* biome-ignore lint/a11y/useSemanticElements: a picture is no part of a form. */}
      <svg
        {...picture}
        role="group"
        aria-label={label}
        width="100%"
        height={height + axisHeight}
        className="relative block overflow-visible"
      >
        {bars.map((row, index) => (
          <Bar key={row.key} row={row} given={part(index)}>
            <rect
              x={-spill}
              y={index * rowHeight}
              style={{ width: `calc(100% + ${2 * spill}px)` }}
              height={rowHeight}
              rx="6"
              className={`group-focus-visible:stroke-2 group-focus-visible:stroke-accent ${index === shown ? "fill-sunk/60" : "fill-transparent"}`}
            />
            <foreignObject y={index * rowHeight + 2} width="100%" height="20">
              <div className="flex justify-between gap-3 pr-1 text-ui">
                <Name className="truncate">{row.name}</Name>
                <span className="shrink-0 font-medium tabular-nums">{formatMeasure(row, by)}</span>
              </div>
            </foreignObject>
            <rect
              y={index * rowHeight + barTop}
              width={`${(measure(row, by) / axis.end) * 100}%`}
              height={barHeight}
              rx="3"
              className="fill-accent"
            />
          </Bar>
        ))}
      </svg>
      {shownBar && shown !== null && (
        <div
          aria-hidden="true"
          className="pointer-events-none absolute left-2 z-10 max-w-[calc(100%-1rem)] rounded-block border border-line bg-panel px-3 py-2 text-meta shadow-lg"
          style={{ top: (shown + 1) * rowHeight }}
        >
          <Name className="block truncate font-medium text-ui">{shownBar.name}</Name>
          <span className="flex flex-wrap gap-x-3 text-quiet tabular-nums">
            {listNumbers(shownBar).map((words) => (
              <span key={words}>{words}</span>
            ))}
          </span>
        </div>
      )}
    </div>
  );
}

interface BarProps {
  row: Row;
  given: ReturnType<ReturnType<typeof useWalk>["part"]>;
  children: ReactNode;
}

/** A bar leads to the page of its group, as the row of the table does. */
function Bar({ row, given, children }: BarProps) {
  const shared = {
    ...given,
    "aria-label": `${toVisibleName(row.name)}: ${listNumbers(row).join(", ")}`,
    className: "group outline-none",
    role: row.page === null ? "img" : "link",
  };
  return row.page === null ? (
    <g {...shared}>{children}</g>
  ) : (
    <Link {...row.page} {...shared}>
      {children}
    </Link>
  );
}

/** The lines of the axis, and the round numbers below them. */
function Lines({ axis: { ticks, end }, by, height }: { axis: Axis; by: Measure; height: number }) {
  const [, step = 1] = ticks;
  return (
    <svg aria-hidden="true" width="100%" height={height + axisHeight} className="absolute block overflow-visible">
      {ticks.map((tick, index) => {
        const x = `${(tick / end) * 100}%`;
        const anchor = index === 0 ? "start" : index === ticks.length - 1 ? "end" : "middle";
        return (
          <g key={tick}>
            <line x1={x} x2={x} y1={0} y2={height} className="stroke-line" />
            <text x={x} y={height + 16} textAnchor={anchor} className="fill-quiet text-meta tabular-nums">
              {formatTick(tick, step, by)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
