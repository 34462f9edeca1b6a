// A conversation in a terminal: it prints what happens, and what is typed is sent. Lines, and never
// a full screen, so that it works in tmux and over ssh.
import { type Schemas, toVisible } from "@switchyard/client";
import { findNearestName } from "../../../../src/rules/nearest-name.ts";
import { parseChoices } from "../command.ts";
import { exitCodes, listErrorLines, UsageError } from "../exit.ts";
import { listPatchLines } from "../print/patch.ts";
import { toStyled } from "../print/text.ts";
import { createTurnPrinter, type LiveEvent } from "../print/turn.ts";
import { readTyped, type Typed } from "../typed.ts";

/** A conversation with an agent, to follow and to write to. */
export interface Chat<Shown extends LiveEvent = LiveEvent> {
  send(text: string): Promise<{ delivery: "job" | "queued" | "steer" }>;
  steer(text: string): Promise<{ delivery: "job" | "queued" | "steer" }>;
  answer(answers: { question: number; option: number }[], text?: string): Promise<unknown>;
  stop(): Promise<unknown>;
  /** What the agent has changed. A Deploy Chat has none. */
  diff?(path?: string): Promise<Schemas["Diff"]>;
  follow(options: { signal?: AbortSignal }): AsyncIterable<Shown>;
}

const help = "Enter sends, ^S steers. /answer N, /diff [PATH], /stop, /quit. ^C leaves, and stops nothing.";

const commands = ["steer", "answer", "diff", "stop", "quit"];
/** Commands that wait for nothing that was typed before. */
const urgent = ["stop", "quit"];

/**
 * The word after a slash, and what follows it; null for a text. Skills have names such as
 * `sort-by`, `svc:open-pr` and `plugin:review.2`. A path with a second slash is a text.
 */
export function parseCommand(text: string): { name: string; rest: string } | null {
  const [, name, rest = ""] = /^\/([\w.:-]+)(?:\s+(.*))?$/.exec(text) ?? [];
  return name === undefined ? null : { name, rest };
}

/**
 * Explains a word after a slash that is no command and no skill; null for one that is. As a message
 * it would use up the agent's open question.
 */
export function explainUnknownCommand(name: string, skills: readonly string[]): string | null {
  if (commands.includes(name) || skills.includes(name)) return null;
  const near = findNearestName(name, [...commands, ...skills]);
  const hint = near === null ? "" : ` Did you mean /${near}?`;
  return `There is no /${name}.${hint} To send the text as it is, begin it with a space.`;
}

/** Follows a conversation until the person leaves. `listSkills` adds what may follow a slash. */
export async function followInTerminal(
  chat: Chat,
  listSkills: () => Promise<string[]> = async () => [],
): Promise<void> {
  const note = (line: string) => void process.stderr.write(`${toStyled("dim", line, process.stderr)}\n`);
  note(help);
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const explain = (error: unknown) => listErrorLines(error).map(toVisible).forEach(note);
  // Lines that are pasted together come together, and are sent one after the other.
  let before = Promise.resolve();
  const endTyping = readTyped((typed) => {
    if (urgent.includes(parseCommand(typed.text)?.name ?? "")) void act(typed).catch(explain);
    else before = before.then(() => act(typed)).catch(explain);
  }, leave);
  process.once("SIGINT", () => {
    process.exitCode = exitCodes.interrupted;
    leave();
  });

  async function act({ text, end }: Typed): Promise<void> {
    const command = parseCommand(text);
    if (command === null) return await send(text.trim(), end === "steer");
    const { name, rest } = command;
    switch (name) {
      case "steer":
        return await send(rest, true);
      case "answer":
        return await answer(rest);
      case "diff":
        return await showDiff(rest === "" ? undefined : rest);
      case "stop":
        await chat.stop();
        return;
      case "quit":
        return leave();
      default: {
        const problem = explainUnknownCommand(name, await listSkills());
        return problem === null ? await send(text, end === "steer") : note(problem);
      }
    }
  }

  async function send(text: string, isSteer: boolean): Promise<void> {
    if (text === "") return;
    const { delivery } = await (isSteer ? chat.steer(text) : chat.send(text));
    if (delivery === "queued") note("waits Up next");
    if (delivery === "steer") note("steered");
  }

  async function answer(choices: string): Promise<void> {
    const { answers, text } = parseChoices(choices.split(/\s+/).filter((one) => one !== ""));
    if (answers.length === 0 && text === "") throw new UsageError("Say which option: /answer 0");
    await chat.answer(answers, text);
  }

  async function showDiff(path: string | undefined): Promise<void> {
    if (!chat.diff) throw new UsageError("A Deploy has no changes to show.");
    const lines = listPatchLines(await chat.diff(path));
    if (lines.length === 0) return note("Nothing has changed.");
    process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  }

  const print = createTurnPrinter((piece) => process.stdout.write(piece));
  try {
    for await (const event of chat.follow({ signal: leaving.signal })) print(event);
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  } finally {
    endTyping();
  }
}
