// The RPC results of another object that an object returns: nothing that its caller would have to
// dispose of.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { ProjectObject } from "../../../durable-objects/project/project.ts";
import type { SessionObject } from "../../../durable-objects/session/session.ts";
import { beginSession, by } from "../support/session-driver.ts";

const isDisposable = (answer: object) => Symbol.dispose in answer;

test("a sandbox's RPC result has to be disposed of, and what a session or a project returns of it does not", async () => {
  const session = await beginSession(null);
  await session.settled();
  const { sandboxKey, projectId, workspaceId } = (await session.state()).session;
  expect(isDisposable(await env.SANDBOX.getByName(sandboxKey).reclaim())).toBe(true);

  const commit = { message: "work", author: { name: "Mia", email: "mia@example.com" }, by };
  const owner = { type: "session", id: session.id } as never;
  const committed = await runInDurableObject(session.session(), async (object: SessionObject) =>
    isDisposable(await object.commit({ ...commit, owner }, null)),
  );
  const facts = { projectId, workspaceId, mainSandboxKey: sandboxKey, isLive: true };
  const reclaimed = await runInDurableObject(env.PROJECT.getByName(projectId), async (object: ProjectObject) =>
    isDisposable(await object.reclaimMain(facts)),
  );
  expect([committed, reclaimed]).toEqual([false, false]);
});
