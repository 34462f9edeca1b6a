// The commands at the head of a git push: which refs it wants to change. They are read before a byte of the push goes on.

export interface PushCommand {
  oldId: string;
  newId: string;
  ref: string;
}

const longestHeadBytes = 64 * 1024;

export interface PushHead {
  commands: PushCommand[];
  /** The whole body again, head included. */
  body: ReadableStream<Uint8Array>;
}

/** Reads the commands off a push. Null when its head is malformed or longer than any honest one. */
export async function readPushHead(body: ReadableStream<Uint8Array>): Promise<PushHead | null> {
  const reader = body.getReader();
  let head = new Uint8Array();
  for (;;) {
    const commands = parseCommands(head);
    if (commands === "malformed" || head.length > longestHeadBytes) {
      await reader.cancel();
      return null;
    }
    if (commands !== "incomplete") return { commands, body: withHead(head, reader) };
    const { value, done } = await reader.read();
    if (done) return null;
    const longer = new Uint8Array(head.length + value.length);
    longer.set(head);
    longer.set(value, head.length);
    head = longer;
  }
}

/** Packet lines up to the flush packet: `<old> <new> <ref>`, the first with capabilities behind a NUL. */
function parseCommands(head: Uint8Array): PushCommand[] | "incomplete" | "malformed" {
  const text = new TextDecoder("latin1").decode(head);
  const commands: PushCommand[] = [];
  for (let at = 0; ; ) {
    if (text.length < at + 4) return "incomplete";
    const lengthText = text.slice(at, at + 4);
    if (!/^[0-9a-f]{4}$/i.test(lengthText)) return "malformed";
    const length = Number.parseInt(lengthText, 16);
    if (length === 0) return commands;
    if (length < 5) return "malformed";
    if (text.length < at + length) return "incomplete";
    const [line = ""] = text
      .slice(at + 4, at + length)
      .replace(/\n$/, "")
      .split("\0", 1);
    const [, oldId, newId, ref] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (.+)$/.exec(line) ?? [];
    if (!oldId || !newId || !ref) return "malformed";
    commands.push({ oldId, newId, ref });
    at += length;
  }
}

function withHead(head: Uint8Array, rest: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  let isHeadSent = false;
  return new ReadableStream({
    async pull(controller) {
      if (!isHeadSent) {
        isHeadSent = true;
        controller.enqueue(head);
        return;
      }
      const { value, done } = await rest.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => rest.cancel(reason),
  });
}
