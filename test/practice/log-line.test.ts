// How `npm start` shows a line of the Worker's log.
import { expect, test } from "vitest";
import { formatLogLine } from "../../practice/log-line.ts";

const lines: [what: string, text: string, read: string | null][] = [
  [
    "an event with an id and a number",
    '{"level":"info","event":"sandbox.started","sandboxKey":"s-1","ms":812}',
    "info  sandbox.started sandboxKey=s-1 ms=812",
  ],
  [
    "an event with a reason of several words",
    '{"level":"warn","event":"effect.failed","error":"it says \\"no\\""}',
    'warn  effect.failed error="it says \\"no\\""',
  ],
  [
    "a trace on its own lines",
    '{"level":"error","event":"request.failed","requestId":"r","trace":"Error: no\\n    at x"}',
    "error request.failed requestId=r\nError: no\n    at x",
  ],
  ["a line of the runtime", "workerd/io/worker.c++: warning", null],
  ["a cut line", '{"level":"warn","event":"effect.fa', null],
];

test.each(lines)("shows %s", (_, text, read) => {
  expect(formatLogLine(text)).toBe(read);
});
