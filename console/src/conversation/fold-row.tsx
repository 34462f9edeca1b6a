// Tools in a row that all went well: one line, which opens.
import { memo, useMemo } from "react";
import { StateMark } from "../ui/state-mark.tsx";
import { formatCount } from "./foot.ts";
import { NearRows } from "./near-rows.tsx";
import type { ToolRow as Row } from "./rows.ts";
import { Changed, OpeningLine } from "./tool-line.tsx";
import { ToolRow } from "./tool-row.tsx";
import { readChange } from "./tool-text.ts";
import { useKept } from "./use-kept.ts";

export const FoldRow = memo(
  function FoldRow({ id, tools, jobId }: { id: string; tools: Row[]; jobId: string }) {
    const [isOpen, setIsOpen] = useKept(`open:${id}`, false);
    const changes = useMemo(() => sumChanges(tools), [tools]);
    return (
      <div>
        <OpeningLine isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)}>
          <span className="inline-flex min-w-4 shrink-0">
            <StateMark mark="done" hasWord={false} />
          </span>
          <span className="min-w-0 flex-1 truncate text-start">
            {formatCount(tools.length, "step")}{" "}
            {!isOpen && <span className="text-meta text-quiet">{describeTools(tools)}</span>}
          </span>
          <Changed {...changes} />
        </OpeningLine>
        {isOpen && (
          <div className="ms-1.5 border-line border-s ps-4">
            <NearRows rows={tools}>{(row) => <ToolRow key={row.key} row={row} jobId={jobId} />}</NearRows>
          </div>
        )}
      </div>
    );
  },
  (one, other) =>
    one.id === other.id &&
    one.jobId === other.jobId &&
    one.tools.length === other.tools.length &&
    one.tools.every(({ tool }, at) => tool === other.tools[at]?.tool),
);

function sumChanges(tools: readonly Row[]) {
  const changes = tools.flatMap(({ tool }) => readChange(tool) ?? []);
  return {
    added: changes.reduce((sum, { added }) => sum + added, 0),
    removed: changes.reduce((sum, { removed }) => sum + removed, 0),
  };
}

/** `bash × 3, edit`: what the folded tools were, for who looks closely. */
function describeTools(tools: readonly Row[]): string {
  const byName = Map.groupBy(tools, ({ tool }) => tool.name);
  return [...byName].map(([name, of]) => (of.length === 1 ? name : `${name} × ${of.length}`)).join(", ");
}
