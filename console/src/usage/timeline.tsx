// A report day by day, or month by month, as columns. The arrow keys walk through them; the one
// that is pointed at or focused shows its numbers.
import { formatUsd } from "./amounts.ts";
import { makeAxis } from "./axis.ts";
import { findTicks, formatPoint, type Interval } from "./points.ts";
import { formatTick, listNumbers, measure, type Sum } from "./report.ts";
import type { Measure } from "./search.ts";
import { useWalk } from "./use-walk.ts";

const height = 120;
const axisWidth = 56;
const labelHeight = 20;

interface TimelineProps {
  points: readonly (Sum & { from: string })[];
  interval: Interval;
  timeZone: string;
  by: Measure;
}

export function Timeline({ points, interval, timeZone, by }: TimelineProps) {
  const count = points.length;
  const { shown, picture, part } = useWalk({ count, first: count - 1, back: "ArrowLeft", forward: "ArrowRight" });
  const axis = makeAxis(Math.max(0, ...points.map((point) => measure(point, by))), {
    intervals: 2,
    isWhole: by === "tokens",
  });
  const [, step = 1] = axis.ticks;
  const width = 100 / points.length;
  const named = findTicks(points.length);
  const shownPoint = shown === null ? undefined : points[shown];

  return (
    <div className="relative" style={{ paddingRight: axisWidth }}>
      <svg
        aria-hidden="true"
        width="100%"
        height={height + 8}
        className="absolute inset-x-0 -top-2 block overflow-visible"
      >
        {axis.ticks.map((tick) => {
          const y = 8 + height - (tick / axis.end) * height;
          return (
            <g key={tick}>
              <line x1="0" x2="100%" y1={y} y2={y} className="stroke-line" />
              <text x="100%" y={y - 4} textAnchor="end" className="fill-quiet text-meta tabular-nums">
                {formatTick(tick, step, by)}
              </text>
            </g>
          );
        })}
      </svg>
      {/* biome-ignore lint/a11y/useSemanticElements: a picture is no part of a form. */}
      <svg
        {...picture}
        role="group"
        aria-label={`${by === "cost" ? "Cost" : "Tokens"} by ${interval}`}
        width="100%"
        height={height + labelHeight}
        className="relative block overflow-visible"
      >
        {points.map((point, index) => {
          const size = (measure(point, by) / axis.end) * height;
          return (
            // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it is a shape.
            <g
              key={point.from}
              {...part(index)}
              role="img"
              aria-label={`${formatPoint(point.from, interval, timeZone)}: ${listNumbers(point).join(", ")}`}
              className="group outline-none"
            >
              <rect
                x={`${index * width}%`}
                width={`${width}%`}
                height={height}
                className={`group-focus-visible:stroke-2 group-focus-visible:stroke-accent ${index === shown ? "fill-sunk" : "fill-transparent"}`}
              />
              <rect
                x={`${(index + 0.12) * width}%`}
                y={height - size}
                width={`${width * 0.76}%`}
                height={size}
                rx="2"
                className="fill-accent"
              />
            </g>
          );
        })}
        {named.map((index) => (
          <text
            key={index}
            x={`${(index + 0.5) * width}%`}
            y={height + 16}
            textAnchor={index === 0 && points.length > 2 ? "start" : "middle"}
            className="fill-quiet text-meta"
          >
            {formatPoint(points[index]?.from ?? "", interval, timeZone)}
          </text>
        ))}
      </svg>
      {shownPoint && shown !== null && (
        <div
          aria-hidden="true"
          className="pointer-events-none absolute top-full left-0 z-10 max-w-full rounded-block border border-line bg-panel px-3 py-2 text-meta shadow-lg"
        >
          <span className="block font-medium text-ui">
            {formatPoint(shownPoint.from, interval, timeZone)}: {formatUsd(shownPoint.costUsd)}
          </span>
          <span className="flex flex-wrap gap-x-3 text-quiet tabular-nums">
            {listNumbers(shownPoint)
              .slice(1)
              .map((words) => (
                <span key={words}>{words}</span>
              ))}
          </span>
        </div>
      )}
    </div>
  );
}
