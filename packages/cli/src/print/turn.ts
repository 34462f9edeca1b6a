// A turn as it happens: its texts as they come, and a line for each tool.
import { type Event, type Schemas, type SessionEvents, type TurnEvents, toVisible } from "@switchyard/client";
import { formatEnd, listQuestionLines } from "./session.ts";
import { toLine, toStyled } from "./text.ts";

/** An event of a session, of a turn, or of a Deploy Chat. */
export type LiveEvent = Event<TurnEvents> | Event<SessionEvents> | Event<Schemas["DeployEvents"]>;

/**
 * Creates a printer of live events, which writes pieces of text. Questions come with the command
 * that answers them.
 */
export function createTurnPrinter(
  write: (text: string) => void,
  answerCommand = "/answer",
): (event: LiveEvent) => void {
  /** How many characters of each text are printed, by job and place. */
  const printed = new Map<string, number>();
  /** How many characters of each running tool's output are printed. */
  const outputs = new Map<string, number>();
  const tools = new Set<string>();
  const asked = new Set<string>();
  let isLineOpen = false;

  function writeText(key: string, text: string, at: number): void {
    const from = printed.get(key) ?? 0;
    // Events can come again after a cut connection.
    const more = text.slice(Math.max(0, from - at));
    if (more === "" || at > from) return;
    printed.set(key, at + text.length);
    write(toVisible(more));
    isLineOpen = !more.endsWith("\n");
  }

  function writeLine(text: string): void {
    write(`${isLineOpen ? "\n" : ""}${text}\n`);
    isLineOpen = false;
  }

  function writeOutput(key: string, text: string, at: number): void {
    const from = outputs.get(key) ?? at;
    // The whole output comes again where somebody else begins to read.
    const more = text.slice(Math.max(0, from - at));
    if (more === "") return;
    outputs.set(key, at + text.length);
    if (at > from) writeLine(toStyled("dim", "…"));
    write(toStyled("dim", toVisible(more)));
    isLineOpen = !more.endsWith("\n");
  }

  function writeBlock(key: string, block: Schemas["Block"]): void {
    if (block.type === "text") {
      if (!printed.has(key) && isLineOpen) writeLine("");
      writeText(key, block.content, 0);
    } else if (block.type === "artifact") {
      writeLine(toStyled("cyan", `artifact ${toLine(block.slug)}: ${toLine(block.title)}`));
    } else if (block.type === "clarification" && !asked.has(key)) {
      asked.add(key);
      for (const line of listQuestionLines(block.clarificationData.questions, answerCommand)) writeLine(line);
    } else if (block.type === "tool" && !tools.has(`${key} ${block.status}`)) {
      tools.add(`${key} ${block.status}`);
      if (block.status === "running") writeLine(toStyled("dim", `▸ ${toLine(block.title)}`));
      if (block.status === "failed") writeLine(toStyled("red", `✗ ${toLine(block.title)}`));
    }
  }

  function writeMessage(id: string, block: Schemas["Block"]): void {
    if (block.type !== "text" || printed.has(id)) return;
    printed.set(id, block.content.length);
    // An answer by options has no words.
    if (block.content === "") return;
    writeLine(toStyled("bold", `> ${toVisible(block.content)}`));
  }

  return ({ type, data }) => {
    if (type === "block" && data.role === "user") writeMessage(data.messageId, data.block);
    else if (type === "block") writeBlock(`${data.messageId} ${data.index}`, data.block);
    else if (type === "delta") writeText(`${data.messageId} ${data.index}`, data.delta, data.at ?? 0);
    else if (type === "output") writeOutput(`${data.messageId} ${data.index}`, data.text, data.at);
    else if (type === "job") {
      const { job } = data;
      if (job.completedAt !== null) writeLine(toStyled("dim", formatEnd(job)));
    } else if (type === "deploy" && data.deploy !== null) {
      writeLine(toStyled("dim", `Deploy: ${data.deploy.status.replaceAll("_", " ")}`));
    }
  };
}
