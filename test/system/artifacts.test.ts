// Artifacts across `kill -9` of everything: what was written is there in the next life, and an
// address that was handed out still leads there.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../support/client.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";

let world: RunningWorld;
beforeAll(async () => {
  world = await createWorld();
  await world.start();
});
afterAll(async () => world?.remove());

const isAt = async (url: string, bytes: Buffer) => Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes);

test("a document, a video and its URL survive a kill; written again afterwards, it is the next version", async () => {
  const before = createClient(world.address());
  const { path } = await before.createSession({ title: "Lasting" });
  const clip = { slug: "clip", title: "Clip", kind: "video", path: "clip.mp4" };
  const createFilm = (letter: string) =>
    Buffer.concat([Buffer.from("\0\0\0 ftypisom"), Buffer.alloc(20_000_000, letter)]);
  const make = (letter: string) => ({
    bash: `(printf '\\0\\0\\0 ftypisom'; head -c 20000000 /dev/zero | tr '\\0' ${letter}) > clip.mp4`,
  });
  const report = { slug: "report", title: "Report", kind: "markdown", content: "# It is" };
  await before.run(path, make("a"), { artifact: clip }, { artifact: report }, { say: "done" });
  const listed = (await before.get(`${path}/artifacts`)).body;
  const [written, { id }] = listed.data.artifacts;
  const { url } = (await before.get(`${path}/artifacts/${id}`)).body.data;
  await world.killAll();
  await world.start();

  const after = createClient(world.address());
  expect((await after.get(`${path}/artifacts`)).body).toEqual(listed);
  expect((await after.get(`${path}/artifacts/${written.id}`)).body.data.body).toBe(report.content);
  expect(await isAt(url, createFilm("a"))).toBe(true);

  await after.run(path, make("b"), { artifact: clip }, { say: "done" });
  const again = (await after.get(`${path}/artifacts/${id}`)).body.data;
  expect([again.version, await isAt(again.url, createFilm("b"))]).toEqual([2, true]);
  expect((await fetch(url)).status).toBe(404);
});
