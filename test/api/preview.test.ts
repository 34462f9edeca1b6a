// The address and the health of a session's preview: a request for the preview wakes it, a request
// for its health only watches it.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = previewWorld();
const owner = createClient(world);
const preview = `/api/projects/${world.projectId}/preview`;
const read = (sessionId: string) => owner.get(`${preview}?sessionId=${sessionId}`);
const health = async (sessionId: string) => (await owner.get(`${preview}/health?sessionId=${sessionId}`)).body.data;

test("a request for a session's preview starts it, and health reports when it runs", async () => {
  const { id } = await owner.createSession({ title: "Preview" });
  const asleep = {
    state: "starting",
    frontendUrls: {},
    sandboxAvailable: false,
    paused: false,
    needsStart: true,
    indeterminate: false,
  };
  const before = await health(id);
  expect(before).toEqual({ ...asleep, services: expect.any(Array) });
  for (const { httpResult } of before.services) expect(httpResult).toBe(null);
  // A request for health wakes nothing.
  expect(await health(id)).toEqual(before);

  const found = await until("the preview to be there", async () => {
    const { status, body } = await read(id);
    expect(status).toBe(200);
    return Object.keys(body.data.frontendUrls).length > 0 && body.data;
  });
  expect(found).toEqual({
    frontendUrls: { web: expect.any(String) },
    projectId: world.projectId,
    sandboxKey: expect.stringMatching(/^s[a-z0-9]{16}$/),
    // The machine of the tests keeps sandboxes for ten minutes.
    awayHoldMs: 600_000,
  });
  const { host, port } = new URL(world.baseUrl);
  const address = new URL(found.frontendUrls.web);
  expect(address.host).toBe(`web--${found.sandboxKey}.preview.localhost:${port}`);
  expect(address.host.endsWith(host)).toBe(true);

  const well = await until("every service to answer", async () => {
    const seen = await health(id);
    return seen.state === "healthy" && seen;
  });
  expect(well).toEqual({
    state: "healthy",
    frontendUrls: { web: expect.stringContaining(address.host) },
    services: [
      { name: "agent", httpResult: "healthy" },
      { name: "web", httpResult: "healthy" },
    ],
    sandboxAvailable: true,
    sandboxId: expect.stringMatching(/\S/),
    canRetainPreview: false,
    paused: false,
    needsStart: false,
    indeterminate: false,
  });
  expect((await read(id)).body.data.sandboxKey).toBe(found.sandboxKey);
});

describe("a session without a preview", () => {
  test("a Backlog session returns an empty preview without a flag, and 404 for its health", async () => {
    const { id } = await owner.createSession({ status: "backlog", prompt: "Later." });
    const { status, body } = await read(id);
    expect([status, body.data.frontendUrls]).toEqual([200, {}]);
    expect(Object.keys(body.data).sort()).toEqual(["awayHoldMs", "frontendUrls", "projectId", "sandboxKey"]);
    const refused = await owner.get(`${preview}/health?sessionId=${id}`);
    expect([refused.status, refused.body.code]).toEqual([404, "NOT_FOUND"]);
  });

  test.each([randomUUID(), "none"])("an unknown session returns 404: %s", async (id) => {
    for (const path of [preview, `${preview}/health`, `${preview}/share`]) {
      const { status, body } = await owner.get(`${path}?sessionId=${id}`);
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
    }
  });
});

test("the main preview is empty until a Deploy has created it, and then has to be started", async () => {
  const { body } = await owner.get(preview);
  expect(body.data).toEqual({
    frontendUrls: {},
    projectId: world.projectId,
    sandboxKey: expect.stringMatching(/^m[a-z0-9]{16}$/),
    awayHoldMs: 300_000,
  });
  expect((await owner.get(`${preview}/health`)).body.data).toEqual(
    expect.objectContaining({ state: "starting", sandboxAvailable: false, needsStart: true }),
  );
});
