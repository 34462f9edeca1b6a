// The log lines of a test, which are read instead of printed.
import { vi } from "vitest";

export interface LogLine {
  level: string;
  event: string;
  [field: string]: unknown;
}

/** Returns the lines that are logged from now on, until the mocks are restored. */
export function captureLog(): LogLine[] {
  const lines: LogLine[] = [];
  for (const method of ["debug", "info", "warn", "error"] as const)
    vi.spyOn(console, method).mockImplementation((line) => void lines.push(parsed(String(line))));
  return lines;
}

/** A line that the runtime wrote is no JSON. */
function parsed(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { level: "error", event: line };
  }
}
