// The rows of a turn: messages, texts and tools in their order, with tools in a row folded.
import type { Schemas, ShownMessage } from "@switchyard/client";

export type Tool = Schemas["ToolBlock"];

export interface ToolRow {
  kind: "tool";
  key: string;
  tool: Tool;
  /** The index of the block in its turn, which names its whole output. */
  place: number;
}

export type Row =
  | { kind: "message"; key: string; message: ShownMessage }
  | { kind: "text"; key: string; text: string }
  | ToolRow
  | { kind: "fold"; key: string; tools: ToolRow[] }
  | { kind: "plan"; key: string; items: Schemas["PlanItem"][] }
  | { kind: "artifact"; key: string; artifact: Schemas["ArtifactBlock"] }
  | { kind: "filed"; key: string; sessions: Schemas["FiledSession"][] }
  | { kind: "questions"; key: string; questions: Schemas["ClarificationQuestion"][] };

/**
 * The rows of a turn without the message that began it. Completed tools in a row are one line,
 * without those that a person keeps open. Of several plans, the newest counts.
 */
export function listRows(messages: readonly ShownMessage[], kept: ReadonlySet<string> = new Set()): Row[] {
  const rows = messages.flatMap((message) => {
    if (message.role === "assistant")
      return message.blocks.flatMap((block, at) => rowOf(block, message.id, message.firstBlockIndex + at));
    return message.delivery === "job" ? [] : [{ kind: "message", key: message.id, message } as Row];
  });
  const plan = rows.findLastIndex(({ kind }) => kind === "plan");
  return foldTools(
    rows.filter(({ kind }, at) => kind !== "plan" || at === plan),
    kept,
  );
}

function rowOf(block: Schemas["Block"], messageId: string, place: number): Row[] {
  const key = `${messageId}:${place}`;
  switch (block.type) {
    case "text":
      return block.content.trim() === "" ? [] : [{ kind: "text", key, text: block.content }];
    case "tool":
      return [{ kind: "tool", key, tool: block, place }];
    case "plan":
      return [{ kind: "plan", key, items: block.items }];
    case "artifact":
      return [{ kind: "artifact", key, artifact: block }];
    case "filed_sessions":
      return [{ kind: "filed", key, sessions: block.sessions }];
    case "clarification":
      return [{ kind: "questions", key, questions: block.clarificationData.questions }];
    // A newer service may have other blocks.
    default:
      return [];
  }
}

function foldTools(rows: readonly Row[], kept: ReadonlySet<string>): Row[] {
  const folded: Row[] = [];
  let run: ToolRow[] = [];
  const close = () => {
    const [first] = run;
    if (first) folded.push(run.length === 1 ? first : { kind: "fold", key: `fold:${first.key}`, tools: run });
    run = [];
  };
  for (const row of rows)
    if (row.kind === "tool" && row.tool.status === "completed" && !kept.has(row.key)) run.push(row);
    else {
      close();
      folded.push(row);
    }
  close();
  return folded;
}

/** How many blocks of an answer a group has at most. */
const blocksAGroup = 24;

/** Rows in groups, whose bounds stay while rows are added at either end. */
export function groupRows<Of extends Row>(rows: readonly Of[]): { key: string; rows: Of[] }[] {
  const groups: { key: string; rows: Of[] }[] = [];
  for (const row of rows) {
    const [, answer, place] = /^(?:fold:)?(.+):(\d+)$/.exec(row.key) ?? [];
    const last = groups.at(-1);
    // A message of a person is between the blocks of an answer.
    const key = place === undefined ? (last?.key ?? row.key) : `${answer}:${Math.floor(Number(place) / blocksAGroup)}`;
    if (last?.key === key) last.rows.push(row);
    else groups.push({ key, rows: [row] });
  }
  return groups;
}

/** What a row says, as plain words. */
export function readRow(row: Row): string {
  switch (row.kind) {
    case "message":
      return row.message.content ?? "";
    case "text":
      return row.text;
    case "tool":
      return row.tool.title === row.tool.name ? row.tool.name : `${row.tool.name} ${row.tool.title}`;
    case "fold":
      return row.tools.map(readRow).join("\n");
    case "plan":
      return row.items.map(({ title }) => title).join("\n");
    case "artifact":
      return row.artifact.title;
    case "filed":
      return row.sessions.map(({ title }) => title).join("\n");
    case "questions":
      return row.questions.map(({ question }) => question).join("\n");
  }
}

/** The tool that a failed turn shows open: the last one that failed. */
export function findFailedTool(rows: readonly Row[]): string | null {
  const failed = rows.findLast((row) => row.kind === "tool" && row.tool.status === "failed");
  return failed?.key ?? null;
}

/** The end of a long list of rows, which is what is drawn at first. */
export function cutRows(rows: readonly Row[], shown: number): { hidden: number; rows: readonly Row[] } {
  const hidden = Math.max(0, rows.length - shown);
  // A handful more is shorter than a line that asks for them.
  return hidden <= 5 ? { hidden: 0, rows } : { hidden, rows: rows.slice(hidden) };
}
