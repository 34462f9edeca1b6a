// The log: what a line has, what it never has, and that the reference explains every event.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DrizzleQueryError } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { log, withRequestId } from "../src/lib/log.ts";
import { readTree } from "./support/source-tree.ts";

const levels = ["debug", "info", "warn", "error"] as const;

describe("a line", () => {
  afterEach(() => void vi.restoreAllMocks());
  const readLine = (write: () => void, level: (typeof levels)[number] = "warn") => {
    const method = vi.spyOn(console, level).mockReturnValue();
    write();
    return method.mock.calls.map(([line]) => JSON.parse(line));
  };

  it.each(levels)("of level %s is written by its method", (level) => {
    const write = () => log[level]("sandbox.started", { sandboxKey: "s", ms: 3 });
    expect(readLine(write, level)).toEqual([{ level, event: "sandbox.started", sandboxKey: "s", ms: 3 }]);
  });

  const canary = "canary@example.com";
  const statement = new DrizzleQueryError("select ?", [canary], new Error("no such table"));
  const errors: [what: string, error: unknown, reason: string][] = [
    ["an error", new Error("it broke"), "it broke"],
    ["a reason", "it broke", "it broke"],
    ["a failed statement without its values", statement, "no such table"],
    ["a long text, cut", "x".repeat(3_000), `${"x".repeat(2_000)}…`],
  ];
  it.each(errors)("has the reason of %s", (_, error, reason) => {
    expect(readLine(() => log.warn("effect.failed", { error }))).toEqual([
      { level: "warn", event: "effect.failed", error: reason },
    ]);
  });

  it("has the request id while a request is handled, and in what the request leaves for later", async () => {
    const later = Promise.withResolvers<void>();
    const left = withRequestId("r1", async () => {
      await later.promise;
      log.warn("stream.not_ended");
    });
    const lines = readLine(() => withRequestId("r2", () => log.warn("stream.not_watched")));
    const method = vi.spyOn(console, "warn");
    later.resolve();
    await left;
    log.warn("sweep.failed");
    const rest = method.mock.calls.slice(lines.length).map(([line]) => JSON.parse(line));
    expect([...lines, ...rest].map(({ event, requestId }) => [event, requestId])).toEqual([
      ["stream.not_watched", "r2"],
      ["stream.not_ended", "r1"],
      ["sweep.failed", undefined],
    ]);
  });
});

const service = (await readTree()).filter(({ path }) => /^(src|durable-objects)\/.+\.tsx?$/.test(path));
const calls = service.flatMap(({ path, text }) =>
  [...text.matchAll(/\blog\.(debug|info|warn|error)\(\s*("[^"]*")?(?:,\s*([^;]*?)\))?/g)].map(
    ([, level = "", event = "", fields = ""]) => ({ path, level, event: event.slice(1, -1), fields }),
  ),
);
const reference = readFileSync(join(import.meta.dirname, "../docs/reference/log-events.md"), "utf8");
const rows = [...reference.matchAll(/^\| `([\w.]+)` \| `(\w+)` \|/gm)].map(([, event, level]) => `${event} ${level}`);

describe("the events of the code", () => {
  it("are named noun.what_happened, in the call", () => {
    expect(calls.length).toBeGreaterThan(50);
    expect(calls.filter(({ event }) => !/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(event))).toEqual([]);
  });

  it("are the rows of the reference, with their level", () => {
    expect([...new Set(calls.map(({ event, level }) => `${event} ${level}`))].sort()).toEqual([...rows].sort());
  });

  it("have no field for a secret", () => {
    const named = calls.filter(({ fields }) =>
      /\b(\w*[sS]ecret|\w*[tT]oken|password|cookie|authorization|prompt)\b\s*[,:}]/.test(fields),
    );
    expect(named).toEqual([]);
  });

  it("are the only lines that the service writes", () => {
    const writers = service.filter(({ text }) => /\bconsole(\.\w|\[)/.test(text)).map(({ path }) => path);
    expect(writers).toEqual(["src/lib/log.ts"]);
  });
});
