// A push that the code host refuses for its workflows is refused in words that say what to do;
// every other report goes through as it is.
import { describe, expect, test } from "vitest";
import { explainReport, explainWorkflows } from "../../src/code-host/git/push-report.ts";

const packet = (line: string) => `${(line.length + 4).toString(16).padStart(4, "0")}${line}`;
const ref = "refs/heads/svc/own";
/** GitHub's own words. */
const refused =
  "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission";
const createReport = (line: string) => `${packet("unpack ok\n")}${packet(`${line}\n`)}0000`;
const progress = packet("\x02Resolving deltas: \xff\x80\n");

async function pass(text: string, capabilities: string[], chunkBytes: number): Promise<string> {
  const bytes = Buffer.from(text, "latin1");
  const chunks = Array.from(
    { length: Math.ceil(bytes.length / chunkBytes) },
    (_, place) => new Uint8Array(bytes.subarray(place * chunkBytes, (place + 1) * chunkBytes)),
  );
  const sent = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const stream = sent.pipeThrough(explainReport({ capabilities }, explainWorkflows));
  return Buffer.from(await new Response(stream).arrayBuffer()).toString("latin1");
}

describe.each([1, 3, 7, 100_000])("in chunks of %i bytes", (chunkBytes) => {
  const banded = (line: string) => `${progress}${packet(`\x01${createReport(line)}`)}0000`;

  test("the reason says what to do", async () => {
    for (const [text, capabilities] of [
      [banded(`ng ${ref} ${refused}`), ["side-band-64k"]],
      [createReport(`ng ${ref} ${refused}`), []],
    ] as const) {
      const passed = await pass(text, [...capabilities], chunkBytes);
      expect(passed).toContain(packet(`ng ${ref} ${explainWorkflows(refused)}\n`));
      expect(passed).toMatch(/CODE_HOST_WORKFLOWS/);
      expect(passed).not.toContain("GitHub App");
      expect(passed.startsWith(progress) || capabilities.length === 0).toBe(true);
      expect(passed.endsWith("0000")).toBe(true);
    }
  });

  test.each([`ok ${ref}`, `ng ${ref} non-fast-forward`, `ng ${ref} protected branch hook declined`])(
    "%s is forwarded byte for byte",
    async (line) => {
      expect(await pass(banded(line), ["side-band-64k"], chunkBytes)).toBe(banded(line));
      expect(await pass(createReport(line), [], chunkBytes)).toBe(createReport(line));
    },
  );

  test("an invalid report is forwarded byte for byte", async () => {
    for (const text of ["zzzz no packet", "", "0003", `${packet("\x02half").slice(0, 6)}`])
      expect(await pass(text, ["side-band-64k"], chunkBytes)).toBe(text);
  });
});

test("a report that is too long is forwarded completely", async () => {
  const text = `${packet(`\x01${"x".repeat(60_000)}`).repeat(4)}0000`;
  const passed = await pass(text, ["side-band-64k"], 10_000);
  expect([passed.replaceAll(/[^x]/g, "").length, passed.slice(-4)]).toEqual([240_000, "0000"]);
});
