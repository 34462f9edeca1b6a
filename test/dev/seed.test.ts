// The demo world in a database that had it before.
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyMigrations } from "../../dev/migrations.ts";
import type { Secrets } from "../../dev/secrets.ts";
import { seed } from "../../dev/seed.ts";
import { removeWorkspace } from "../../src/storage/queries/removals.ts";
import { addWorkspace, workspacesOf } from "../../src/storage/queries/workspaces.ts";

const secrets: Secrets = {
  signingKey: "signing",
  sealingKeys: `k1:${"A".repeat(43)}`,
  codeHostToken: "token",
  codeHostAppKey: "key",
  codeHostClientSecret: "secret",
  codeHostWebhookSecret: "secret",
  s3: { accessKeyId: "id", secretAccessKey: "secret" },
  apiKeys: { owner: "svc_key_1", admin: "svc_key_2", member: "svc_key_3", outsider: "svc_key_4" },
};
let runtime: Miniflare;
let database: D1Database;
beforeAll(async () => {
  runtime = new Miniflare(
    convertV4MiniflareOptions({ script: "", modules: true, d1Databases: ["DB"], telemetry: { enabled: false } }),
  );
  database = (await runtime.getD1Database("DB")) as unknown as D1Database;
  await applyMigrations(database);
});
afterAll(() => runtime.dispose());

async function connect(userId: string, login: string): Promise<void> {
  await database
    .prepare("INSERT INTO code_host_identities VALUES (?1, ?2, ?2, 'Somebody', 'a@b.example', 'sealed', NULL, 1)")
    .bind(userId, login)
    .run();
}

test("a demo workspace that was deleted is there again at the next start, whoever has its slug by now", async () => {
  const first = await seed(database, secrets);
  expect(await removeWorkspace(database, { id: first.workspaceId, name: "Acme", ownerId: "usr_owner" }, 1)).toBe(true);
  const workspace = { id: "ws_mine", name: "Acme", slug: "acme", logo: null, timezone: "UTC", defaultModel: null };
  await addWorkspace(database, { ...workspace, plan: "free", createdAt: 1 }, "usr_member");
  const second = await seed(database, secrets);
  expect(second).toEqual({ ...first, projectId: expect.not.stringMatching(first.projectId) });
  expect((await workspacesOf(database, "usr_member")).map(({ slug }) => slug)).toEqual([
    expect.stringMatching(/^acme-\w{4}$/),
    "acme",
  ]);
  expect(await seed(database, secrets)).toEqual(second);
  expect(await removeWorkspace(database, { id: second.workspaceId, name: "Acme", ownerId: "usr_owner" }, 2)).toBe(true);
});

test("a start finds the demo world, and gives its people the accounts that a sign-in once made strangers of", async () => {
  const first = await seed(database, secrets);
  await database.exec(
    "INSERT INTO users (id, name, email, created_at) VALUES ('stranger', 'Olive Owner', 'olive-owner@practice.example', 1)",
  );
  await connect("stranger", "olive-owner");
  await connect("usr_member", "mia-member");

  expect(await seed(database, secrets)).toEqual(first);
  const { results } = await database.prepare("SELECT user_id AS id FROM code_host_identities").all();
  expect(results).toEqual([{ id: "usr_member" }]);
});
