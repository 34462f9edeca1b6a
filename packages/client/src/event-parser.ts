// Reads server-sent events from the parts of a stream, wherever the stream is divided. A line may
// have megabytes and many parts, so its parts are joined once.

export interface ParsedEvent {
  /** The last id that came, with this event or before it. */
  lastId: string | null;
  /** True if the id came with this event. */
  hasId: boolean;
  type: string;
  data: string;
}

/**
 * Creates a parser. It takes the text as it comes, and calls back for each event and each retry.
 */
export function createEventParser(
  onEvent: (event: ParsedEvent) => void,
  onRetry: (ms: number) => void,
): (text: string) => void {
  /** The parts of the line that has not ended. */
  let open: string[] = [];
  /** A part ended between the two characters of a line end. */
  let skipsLineFeed = false;
  let lastId: string | null = null;
  let hasId = false;
  let type = "";
  let data: string[] = [];

  function readLine(line: string): void {
    if (line === "") {
      if (data.length > 0) onEvent({ lastId, hasId, type: type || "message", data: data.join("\n") });
      type = "";
      data = [];
      hasId = false;
      return;
    }
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (name === "data") data.push(value);
    else if (name === "event") type = value;
    else if (name === "id" && !value.includes("\0")) {
      lastId = value;
      hasId = true;
    } else if (name === "retry" && /^\d+$/.test(value)) onRetry(Number(value));
  }

  return (text) => {
    if (text === "") return;
    const lines = (skipsLineFeed && text[0] === "\n" ? text.slice(1) : text).split(/\r\n|\n|\r/);
    skipsLineFeed = text.endsWith("\r");
    const rest = lines.pop();
    for (const line of lines) {
      readLine(open.length === 0 ? line : open.join("") + line);
      open = [];
    }
    if (rest) open.push(rest);
  };
}
