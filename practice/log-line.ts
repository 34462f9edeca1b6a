// A line of the Worker's log, as a developer reads it in a terminal.

/**
 * The readable form of a line of `src/lib/log.ts`; null for what the runtime itself has printed.
 */
export function formatLogLine(text: string): string | null {
  const line = parseLine(text);
  if (line === null) return null;
  const { level, event, trace, ...fields } = line;
  const named = Object.entries(fields).map(([name, value]) => `${name}=${readableValue(value)}`);
  const read = [String(level).padEnd(5), event, ...named].join(" ");
  return trace === undefined ? read : `${read}\n${trace}`;
}

function parseLine(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{"level":')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const readableValue = (value: unknown) =>
  typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
