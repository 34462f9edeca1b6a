// Forms that arrive slowly: a sender who loses access meanwhile starts nothing by them.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { revokeKey } from "../../../src/key/create-and-revoke.ts";
import { saveSuspension } from "../../../src/operator/queries.ts";
import { authorizedMs } from "../../../src/rules/limits.ts";
import { turnRoutes } from "../../../src/session/routes/turns.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { beginSession, type SessionDriver } from "../support/session-driver.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

let workspaceId: string;
let userId: string;
let session: SessionDriver;
let key: Awaited<ReturnType<typeof issueApiKey>>;
beforeEach(async () => {
  const { workspaceId: id, users } = await addWorkspaceWith({ owner: "owner", member: "member" });
  [workspaceId, userId] = [id, users.member];
  session = await beginSession(null, { workspaceId });
  await session.settled();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, is_live, settings, main_sandbox_key, created_at, updated_at)
       VALUES (?1, ?2, 'P', 'acme/app', 'main', 'deployed', 1, '{}', ?1, 0, 0)`,
    ).bind(session.record.projectId, workspaceId),
    env.DB.prepare(
      `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, label, authenticated_at)
       VALUES (?1, 'workspace', ?1, 'anthropic', 0, 'key', '', 'k', 0)`,
    ).bind(workspaceId),
  ]);
  key = await issueApiKey(env.DB, { userId, name: "k", expiresAt: null }, Date.now());
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => void vi.useRealTimers());

const head = [
  ...['--b\r\nContent-Disposition: form-data; name="content"\r\n\r\nLook.\r\n'],
  ...['--b\r\nContent-Disposition: form-data; name="attachmentCount"\r\n\r\n1\r\n'],
  ...['--b\r\nContent-Disposition: form-data; name="attachment_0"; filename="a.txt"\r\n\r\nfirst half, '],
].join("");

/** Sends a message with a file, between whose halves something happens. */
async function sendSlowly(meanwhile: () => Promise<unknown>) {
  const bytes = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.encode(head)),
    async pull(controller) {
      await meanwhile();
      vi.setSystemTime(Date.now() + authorizedMs + 1);
      controller.enqueue(bytes.encode("second half\r\n--b--\r\n"));
      controller.close();
    },
  });
  const headers = { authorization: `Bearer ${key.token}`, "content-type": "multipart/form-data; boundary=b" };
  const params = { workspaceId, projectId: session.record.projectId, sessionId: session.id };
  const route = turnRoutes.find(({ operation }) => operation === "sendMessage");
  const answer = await route?.serve(
    new Request("http://service.test/", { method: "POST", headers, body }),
    unlimitedEnv,
    params,
  );
  const stored = await env.STORE.list({ prefix: `sessions/${session.id}/attachments/` });
  const said = (await session.messages()).filter(({ role }) => role === "user");
  return { answer, files: stored.objects.length, messages: said.length };
}

const deleteMember = () => env.DB.prepare("DELETE FROM members WHERE user_id = ?1").bind(userId).run();

test.each<[string, () => Promise<unknown>, string]>([
  ["whose key is revoked", () => revokeKey(env, { kind: "api-key", userId, keyId: key.row.id }), "UNAUTHORIZED"],
  ["whose sender is removed", deleteMember, "FORBIDDEN"],
  ["whose sender is suspended", () => saveSuspension(env.DB, { type: "person", id: userId }, 1), "FORBIDDEN"],
  [
    "whose workspace is suspended",
    () => saveSuspension(env.DB, { type: "workspace", id: workspaceId }, 1),
    "FORBIDDEN",
  ],
])("one %s while it arrives starts nothing, and its file is deleted", async (_, meanwhile, code) => {
  expect(await sendSlowly(meanwhile)).toMatchObject({ answer: { code }, files: 0, messages: 0 });
});

test("one of a sender who keeps access is delivered", async () => {
  expect(await sendSlowly(async () => {})).toMatchObject({ answer: { status: 201 }, files: 1, messages: 1 });
});
