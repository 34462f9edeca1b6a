// The practice block: the fenced part of a message with a script, one JSON step per line.

export interface PracticeBlock {
  lines: string[];
  /** The text after the block. */
  after: string;
}

// A new agent gets the earlier conversation in its prompt. The scripts in it have ended.
const handedOver = /<(conversation\w*|handover|history|transcript)>[\s\S]*<\/\1>/g;

// In a conversation written as text, a fence may follow a speaker's name.
const opening = /^(?:\s*|.*:\s+)(`{3,}|~{3,})\s*practice\s*$/;

/**
 * Returns the last practice block of a text: in a conversation written as text, the newest message
 * is last.
 */
export function findPracticeBlock(text: string): PracticeBlock | null {
  const lines = text.replace(handedOver, "").split(/\r\n|\n|\r/);
  let found: PracticeBlock | null = null;
  for (let at = 0; at < lines.length; at++) {
    const fence = opening.exec(lines[at] ?? "")?.[1];
    if (fence === undefined) continue;
    const start = at + 1;
    const length = lines.slice(start).findIndex((line) => closes(line, fence));
    const end = length < 0 ? lines.length : start + length;
    found = { lines: lines.slice(start, end), after: lines.slice(end + 1).join("\n") };
    at = end;
  }
  return found;
}

function closes(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark.length >= fence.length && mark === (fence[0] ?? "`").repeat(mark.length);
}
