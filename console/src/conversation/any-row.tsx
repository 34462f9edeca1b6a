// A row of a turn, of any kind.
import { memo } from "react";
import { Artifact, FiledSessions, Plan, Questions } from "./blocks.tsx";
import { FoldRow } from "./fold-row.tsx";
import { Markdown } from "./markdown.tsx";
import { Message } from "./message.tsx";
import type { Row } from "./rows.ts";
import { ToolRow } from "./tool-row.tsx";

interface AnyRowProps {
  row: Row;
  jobId: string;
  isGrowing: boolean;
  isFailed: boolean;
  onOpen: (key: string) => void;
}

export const AnyRow = memo(function AnyRow({ row, jobId, isGrowing, isFailed, onOpen }: AnyRowProps) {
  switch (row.kind) {
    case "text":
      return <Markdown text={row.text} isGrowing={isGrowing} />;
    case "tool":
      return <ToolRow row={row} jobId={jobId} isOpenAtFirst={isFailed} onOpen={onOpen} />;
    case "fold":
      return <FoldRow id={row.key} tools={row.tools} jobId={jobId} />;
    case "message":
      if (row.message.role === "system")
        return (
          <p dir="auto" className="whitespace-pre-wrap text-meta text-quiet [overflow-wrap:anywhere]">
            {row.message.content}
          </p>
        );
      return (
        <div className="my-1 rounded-block border-accent border-s-[3px] bg-accent-tint/50 px-3 py-2">
          <Message message={row.message} />
        </div>
      );
    case "plan":
      return <Plan items={row.items} isPinned={false} keptAs={`plan:${row.key}`} />;
    case "artifact":
      return <Artifact artifact={row.artifact} />;
    case "filed":
      return <FiledSessions sessions={row.sessions} />;
    case "questions":
      return <Questions questions={row.questions} />;
  }
}, isSameRow);

/** A row is created again at each change of its turn; what it shows is not. */
function isSameRow(one: AnyRowProps, other: AnyRowProps): boolean {
  if (one.isGrowing !== other.isGrowing || one.isFailed !== other.isFailed || one.jobId !== other.jobId) return false;
  const [before, row] = [one.row, other.row];
  switch (row.kind) {
    case "text":
      return before.kind === "text" && before.text === row.text;
    case "tool":
      return before.kind === "tool" && before.tool === row.tool;
    case "fold":
      return (
        before.kind === "fold" &&
        before.tools.length === row.tools.length &&
        before.tools.every(({ tool }, at) => tool === row.tools[at]?.tool)
      );
    case "message":
      return before.kind === "message" && before.message === row.message;
    default:
      return false;
  }
}
