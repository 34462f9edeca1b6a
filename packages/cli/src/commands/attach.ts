// A conversation in a terminal: it prints what happens, and what is typed is sent. Lines, and never
// a full screen, so that it works in tmux and over ssh.
import { createInterface } from "node:readline";
import { listErrorLines } from "../exit.ts";
import { toStyled } from "../print/text.ts";
import { createTurnPrinter, type LiveEvent } from "../print/turn.ts";

/** A conversation with an agent, to follow and to write to. */
export interface Chat<Shown extends LiveEvent = LiveEvent> {
  send(text: string): Promise<{ delivery: "job" | "queued" | "steer" }>;
  steer(text: string): Promise<{ delivery: "job" | "queued" | "steer" }>;
  answer(answers: { question: number; option: number }[], text?: string): Promise<unknown>;
  stop(): Promise<unknown>;
  follow(options: { signal?: AbortSignal }): AsyncIterable<Shown>;
}

const help = "Enter sends. /steer TEXT, /answer N, /stop, /quit. ^C leaves, and stops nothing.";

/** Follows a conversation until the person leaves. */
export async function followInTerminal(chat: Chat): Promise<void> {
  const note = (line: string) => void process.stderr.write(`${toStyled("dim", line, process.stderr)}\n`);
  note(help);
  const leaving = new AbortController();
  const typed = createInterface({ input: process.stdin });
  typed.on("line", (line) => void act(line.trim()).catch((error) => listErrorLines(error).forEach(note)));
  typed.once("close", () => leaving.abort());
  process.once("SIGINT", () => typed.close());

  async function act(line: string): Promise<void> {
    const [, name, rest = ""] = /^\/(steer|answer|stop|quit)\b\s*(.*)$/.exec(line) ?? [];
    switch (name) {
      case undefined: {
        if (line === "") return;
        const { delivery } = await chat.send(line);
        if (delivery === "queued") note("waits Up next");
        return;
      }
      case "steer": {
        const { delivery } = await chat.steer(rest);
        return note(delivery === "steer" ? "steered" : "waits Up next");
      }
      case "answer":
        await chat.answer(
          /^\d+$/.test(rest) ? [{ question: 0, option: Number(rest) }] : [],
          /^\d+$/.test(rest) ? "" : rest,
        );
        return;
      case "stop":
        await chat.stop();
        return;
      default:
        typed.close();
    }
  }

  const print = createTurnPrinter((piece) => process.stdout.write(piece));
  try {
    for await (const event of chat.follow({ signal: leaving.signal })) print(event);
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  }
}
