// The artifact tool: what the agent writes goes to the service, redacted where it is text and
// streamed where it is a file, and shows as a block of its own.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../../../support/until.ts";
import { listBlocks } from "../../support/transcript.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.end());
beforeEach(() => {
  world.api.calls.length = 0;
});

const artifactId = "01a1fd77-f46c-7327-8c27-fc511d477bc9";
const kept = (version = 1) => ({ status: 200, body: JSON.stringify({ artifactId, version }) });
const parseQuery = (path = "") => Object.fromEntries(new URLSearchParams(path.split("?")[1]));
const peakKibibytes = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${world.program.process.pid}/status`, "utf8"))?.[1]);

test("a document is sent to the service with the turn's token, and is a block", async () => {
  world.api.answers.push(kept(3));
  const document = { slug: "report", title: "Größe & Co", kind: "markdown", content: "# Größe" };
  const { start, service } = await world.runTurn([{ artifact: document }, { say: "done" }]);
  expect(await service.ended()).toEqual({ status: "completed" });
  const { content, ...naming } = document;
  expect(listBlocks(service.received)).toEqual([
    { type: "artifact", artifactId, version: 3, ...naming },
    { type: "text", content: "done" },
  ]);
  const [call] = world.api.calls;
  expect(call).toMatchObject({ method: "PUT", headers: { authorization: `Bearer ${start.model.token}` } });
  expect(call?.path).toMatch(/^\/artifacts\?/);
  expect(parseQuery(call?.path)).toEqual({ ...naming, write: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(call?.body.toString()).toBe(content);
});

test("no artifact shows a secret: in a text, a text file, a drawing or a title", async () => {
  const secret = "s3cr3t-value-of-the-project";
  world.api.answers.push(kept(), kept(), kept());
  const { service } = await world.runTurn(
    [
      { bash: 'echo "<p>$API_KEY</p>" > page.html; echo "<svg>$API_KEY</svg>" > drawing.svg' },
      { artifact: { slug: "a", title: `The ${secret}`, kind: "markdown", content: `It is ${secret}.` } },
      { artifact: { slug: "b", title: "B", kind: "html", path: "page.html" } },
      { artifact: { slug: "c", title: "C", kind: "image", path: "drawing.svg" } },
      { say: "done" },
    ],
    { env: { API_KEY: secret }, secretNames: ["API_KEY"] },
  );
  await service.ended();
  expect(world.api.calls.map(({ body }) => body.toString())).toEqual([
    "It is [redacted].",
    "<p>[redacted]</p>\n",
    "<svg>[redacted]</svg>\n",
  ]);
  expect(parseQuery(world.api.calls[0]?.path).title).toBe("The [redacted]");
  expect(JSON.stringify(service.received)).not.toContain(secret);
});

test("videos of 90 megabytes are uploaded completely without memory", async () => {
  world.api.answers.push(kept(), kept(2));
  const before = peakKibibytes();
  const video = { artifact: { slug: "clip", title: "Clip", kind: "video", path: "clip.mp4" } };
  const { service } = await world.runTurn([
    { bash: "head -c 90000000 /dev/zero | tr '\\0' v > clip.mp4" },
    video,
    video,
    { bash: "rm clip.mp4" },
    { say: "done" },
  ]);
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(world.api.calls).toHaveLength(2);
  for (const { path, headers, body } of world.api.calls) {
    expect(parseQuery(path)).toMatchObject({ kind: "video", slug: "clip" });
    expect(headers["content-length"]).toBe("90000000");
    expect(body.equals(Buffer.alloc(90_000_000, "v"))).toBe(true);
  }
  // A third of what was sent. How soon pieces that were sent are collected depends on how busy the
  // machine is.
  expect(peakKibibytes() - before).toBeLessThan(60_000);
});

test("a file that is still being written is uploaded with its size at that time", async () => {
  world.api.answers.push(kept());
  const { service } = await world.runTurn([
    {
      bash: "head -c 5000000 /dev/zero > clip.mp4; (while sleep 0.001; do head -c 100000 /dev/zero >> clip.mp4; done) > /dev/null 2>&1 &",
    },
    { artifact: { slug: "clip", title: "Clip", kind: "video", path: "clip.mp4" } },
    { say: "done" },
  ]);
  expect(await service.ended()).toEqual({ status: "completed" });
  const [call] = world.api.calls;
  expect(String(call?.body.length)).toBe(call?.headers["content-length"]);
  expect(listBlocks(service.received)[1]).toMatchObject({ type: "artifact" });
});

test.each<[string, Record<string, unknown>, string]>([
  ["no slug", { slug: "a b" }, "The slug has"],
  ["no title", { title: "" }, "The title has"],
  ["no kind", { kind: "pdf" }, 'kind: expected one of ["markdown","html","image","video"]'],
  ["no content", { content: undefined }, "Give the text as `content`"],
  ["an empty content", { content: "" }, "would be empty"],
  ["the content of an image", { kind: "image" }, "Give the `path` of a file"],
  ["a file that is not there", { kind: "image", path: "missing.png" }, "There is no file missing.png"],
  ["a folder", { kind: "image", path: "." }, "There is no file ."],
  ["a text that is none", { path: "/bin/sh" }, "is no text in UTF-8"],
])("%s is reported to the agent, without a call to the service", async (_, changes, told) => {
  const artifact = { slug: "a", title: "A", kind: "html", content: "x", ...changes };
  const { service } = await world.runTurn([{ artifact }, { say: "done" }]);
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(listBlocks(service.received)[0]).toMatchObject({
    type: "tool",
    name: "artifact",
    status: "failed",
    output: expect.stringContaining(told),
  });
  expect(world.api.calls).toEqual([]);
});

test("a refusal of the service is shown to the agent", async () => {
  world.api.answers.push({ status: 400, body: "Browsers do not show this type of image." });
  const { service } = await world.runTurn([
    { bash: "echo text > a.png" },
    { artifact: { slug: "a", title: "A", kind: "image", path: "a.png" } },
    { say: "done" },
  ]);
  await service.ended();
  expect(listBlocks(service.received)[1]).toMatchObject({
    status: "failed",
    output: "The artifact was not written: Browsers do not show this type of image.",
  });
  expect(world.api.calls).toHaveLength(1);
});

test("a write whose response was lost is repeated with the same id", async () => {
  world.api.answers.push({ status: 200, isLost: true }, kept());
  const { service } = await world.runTurn([
    { artifact: { slug: "a", title: "A", kind: "html", content: "x" } },
    { say: "done" },
  ]);
  await service.ended();
  expect(listBlocks(service.received)).toMatchObject([{ type: "artifact", version: 1 }, { type: "text" }]);
  const writes = world.api.calls.map(({ path }) => parseQuery(path).write);
  expect(writes).toHaveLength(2);
  expect(new Set(writes).size).toBe(1);
});

test("a stop aborts an upload that the service does not answer", async () => {
  world.api.answers.push({ status: 200, isSlow: true });
  const { start, service } = await world.runTurn([
    { artifact: { slug: "a", title: "A", kind: "html", content: "x" } },
    { say: "never said" },
  ]);
  await until("the call", () => world.api.calls[0]);
  await world.program.call("POST", `/turns/${start.turnId}/stop`);
  expect(await service.ended()).toEqual({ status: "cancelled" });
  await until("its end", () => world.api.openCalls() === 0);
  expect(world.api.calls).toHaveLength(1);
});
