// The parts of a person's message: what they wrote, and the code between its fences. Nothing else
// of Markdown is read in it, so a message looks as it was typed.

export interface MessagePart {
  isCode: boolean;
  text: string;
}

const fence = /^ {0,3}(`{3,}|~{3,})/;

/** Splits a message at its fences. A fence that is not closed ends with the message. */
export function splitFences(text: string): MessagePart[] {
  const parts: MessagePart[] = [];
  let lines: string[] = [];
  let open: string | null = null;
  const end = (isCode: boolean) => {
    const part = isCode ? lines.join("\n") : lines.join("\n").trim();
    if (part !== "") parts.push({ isCode, text: part });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const marks = fence.exec(line)?.[1];
    if (marks !== undefined && open === null) {
      end(false);
      open = marks;
    } else if (marks !== undefined && open !== null && marks.startsWith(open) && line.trim() === marks) {
      end(true);
      open = null;
    } else lines.push(line);
  }
  end(open !== null);
  return parts;
}
