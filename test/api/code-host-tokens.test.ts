// The app's tokens end at the code host while the service still stores them: no request fails.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { readSecrets } from "../support/world-secrets.ts";

const world = apiWorld();
const owner = createClient(world);

async function endTokens(): Promise<void> {
  const authorization = `Bearer ${readSecrets(world).codeHostToken}`;
  const ended = await fetch(`${world.forgeUrl}/practice/tokens`, { method: "DELETE", headers: { authorization } });
  expect(ended.status).toBe(200);
}

test("a push succeeds after its token has expired at the code host", async () => {
  const created = await owner.createSession({
    title: "Ended tokens",
    content: script({ write: { path: "a.txt", content: "a" } }, { say: "Done." }),
  });
  await owner.jobUntil(created.path, created.jobId);
  const commit = await owner.post(`${created.path}/preview/git/commit`, { message: "A file" });
  expect(commit.status).toBe(200);
  await endTokens();
  const pushed = await owner.post(`${created.path}/preview/git/push`);
  expect(pushed.body).toEqual({ data: { ok: true } });
});
