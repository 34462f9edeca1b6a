// A tool that the agent ran: a line, and below it what changed, what went in and what came out.
import { memo, useMemo, useState } from "react";
import { Refusal } from "../ui/refusal.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { formatCount } from "./foot.ts";
import { PrintedLines } from "./printed-lines.tsx";
import type { ToolRow as Row, Tool } from "./rows.ts";
import { Changed, OpeningLine, ToolLine } from "./tool-line.tsx";
import { type Change, cleanOutput, formatInput, hasMoreOutput, readChange, takeLastLines } from "./tool-text.ts";
import { useConversation } from "./use-conversation.ts";
import { useKept } from "./use-kept.ts";
import { Well, WellButton } from "./well.tsx";

const runningLines = 8;

interface ToolRowProps {
  row: Row;
  jobId: string;
  isOpenAtFirst?: boolean;
  /** Called when a person opens or closes it. */
  onOpen?: (key: string) => void;
}

export const ToolRow = memo(function ToolRow({ row, jobId, isOpenAtFirst = false, onOpen }: ToolRowProps) {
  const { tool, place } = row;
  const [chosen, setChosen] = useKept<boolean | null>(`open:${row.key}`, null);
  const isRunning = tool.status === "running";
  const isOpen = chosen ?? isOpenAtFirst;
  const change = useMemo(() => readChange(tool), [tool]);
  const toggle = () => {
    setChosen(!isOpen);
    if (!isOpen) onOpen?.(row.key);
  };
  return (
    <div>
      <OpeningLine isOpen={isOpen} onToggle={toggle}>
        <ToolLine tool={tool} count={change && <Changed {...change} />} />
      </OpeningLine>
      {isOpen && <Inside id={row.key} tool={tool} jobId={jobId} place={place} change={change} />}
      {!isOpen && isRunning && tool.output && <PrintedLines>{takeLastLines(tool.output, runningLines)}</PrintedLines>}
      {!isOpen && tool.status === "failed" && tool.output && (
        <p dir="auto" className="truncate ps-6 text-meta text-quiet">
          {takeLastLines(tool.output.trimEnd(), 1)}
        </p>
      )}
    </div>
  );
});

interface InsideProps {
  id: string;
  tool: Tool;
  jobId: string;
  place: number;
  change: Change | null;
}

function Inside({ id, tool, jobId, place, change }: InsideProps) {
  const { readOutput } = useConversation();
  const [whole, setWhole] = useKept<string | null>(`output:${id}`, null);
  const [error, setError] = useState<unknown>(null);
  const input = change ? null : formatInput(tool);
  const output = whole ?? tool.output;

  async function readWhole() {
    setError(null);
    if (readOutput === null) return;
    try {
      setWhole(await (await readOutput(jobId, place)).text());
    } catch (failure) {
      setError(failure);
    }
  }

  return (
    <div className="mt-1 mb-2 flex flex-col gap-1">
      {change && <ChangedLines change={change} keptAs={`change:${id}`} />}
      {input !== null && <Well label="Input" text={input} keptAs={`whole input:${id}`} />}
      {output !== null && output.trim() !== "" && !(change && tool.status === "completed") && (
        <Well
          label="Output"
          keptAs={`whole output:${id}`}
          text={cleanOutput(output)}
          isEnd={tool.status !== "completed"}
          onMore={readOutput !== null && whole === null && hasMoreOutput(tool) ? readWhole : undefined}
          moreLabel={`Show all of the output${tool.fullOutputBytes ? `, ${formatBytes(tool.fullOutputBytes)}` : ""}`}
        />
      )}
      {output !== null && output.trim() === "" && <p className="px-3 text-meta text-quiet">It printed nothing.</p>}
      {error !== null && <Refusal error={error} />}
    </div>
  );
}

const formatBytes = (bytes: number) => `${Math.max(1, Math.round(bytes / 1_024)).toLocaleString("en")} KB`;

const tones = {
  "+": "bg-green-tint text-green-ink",
  "−": "bg-red-tint text-red-ink",
  " ": "",
};
const shownChangedLines = 40;

function ChangedLines({ change: { places }, keptAs }: { change: Change; keptAs: string }) {
  const [isWhole, setIsWhole] = useKept(keptAs, false);
  const count = places.reduce((sum, lines) => sum + lines.length, 0);
  let left = isWhole || count <= shownChangedLines + 3 ? count : shownChangedLines;
  const isCut = left < count;
  return (
    <div className="divide-y divide-line overflow-hidden rounded-block bg-sunk">
      <section
        aria-label="Change"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard.
        tabIndex={0}
        dir="ltr"
        className={`${isWhole ? "max-h-[80vh]" : ""} overflow-auto py-2 font-mono text-code`}
      >
        {places.map((lines, at) => {
          const shown = lines.slice(0, Math.max(0, left));
          left -= lines.length;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the places of an edit never move.
            <div key={at} className={at > 0 && shown.length > 0 ? "mt-2 border-line border-t pt-2" : ""}>
              {shown.map(({ sign, text }, line) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines never move.
                <div key={line} className={`flex px-3 ${tones[sign]}`}>
                  <span className="w-5 shrink-0 select-none">{sign}</span>
                  <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
                    <VisibleText>{text}</VisibleText>
                  </span>
                </div>
              ))}
            </div>
          );
        })}
      </section>
      {isCut && <WellButton onClick={() => setIsWhole(true)}>Show all {formatCount(count, "line")}</WellButton>}
    </div>
  );
}
