// Workspaces as the database stores them: a slug belongs to one workspace, also with concurrent
// requests.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { issueAgentToken } from "../../../src/key/queries/keys.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { createWorkspace } from "../../../src/workspace/create.ts";
import { listMembers } from "../../../src/workspace/queries/members.ts";
import { listWorkspaces } from "../../../src/workspace/queries/workspaces.ts";
import { workspaceRoutes } from "../../../src/workspace/routes/workspaces.ts";
import { updateWorkspace } from "../../../src/workspace/update.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { addUser } from "../support/people.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

const newSlug = () => `s${crypto.randomUUID().slice(0, 8)}`;

async function create(slug: string, name = "Acme") {
  const ownerId = await addUser("owner");
  const workspace = await createWorkspace(env, { name, slug, ownerId }, 7);
  if (isRefusal(workspace)) throw new Error(workspace.message);
  return { workspace, ownerId };
}

test("a new workspace is on the free plan, in UTC, and owned by its creator", async () => {
  const { workspace, ownerId } = await create(newSlug());
  expect(workspace).toMatchObject({ logo: null, timezone: "UTC", defaultModel: null, plan: "free", createdAt: 7 });
  expect(await listMembers(env.DB, workspace.id)).toMatchObject([{ userId: ownerId, role: "owner", joinedAt: 7 }]);
  expect(await listWorkspaces(env.DB, ownerId)).toEqual([workspace]);
});

test("an agent of a member lists only the workspace of its session", async () => {
  const { workspace, ownerId } = await create(newSlug());
  const other = await createWorkspace(env, { name: "Other", slug: newSlug(), ownerId }, 8);
  if (isRefusal(other)) throw new Error(other.message);
  const grant = { workspaceId: workspace.id, sessionId: "session-1", turnId: crypto.randomUUID(), userId: ownerId };
  const agent = await issueAgentToken(env.DB, { ...grant, expiresAt: Date.now() + 60_000 }, 0);
  const { token: key } = await issueApiKey(env.DB, { userId: ownerId, name: "mine", expiresAt: null }, 0);
  const listed = async (credential: string) => {
    const headers = { authorization: `Bearer ${credential}` };
    const request = new Request("http://service/api/organizations", { headers });
    const answer = await workspaceRoutes[0]?.serve(request, unlimitedEnv, {});
    return JSON.stringify(answer);
  };
  expect(await listed(agent)).toContain(workspace.id);
  expect(await listed(agent)).not.toContain(other.id);
  expect(await listed(key)).toContain(other.id);
});

test("of two concurrent creates with one slug, one gets it, and the other is offered a free one", async () => {
  const slug = newSlug();
  await create(`${slug}-2`);
  const ownerIds = await Promise.all([addUser("one"), addUser("other")]);
  const made = await Promise.all(ownerIds.map((ownerId) => createWorkspace(env, { name: "Acme", slug, ownerId }, 0)));
  const refused = made.filter((one) => isRefusal(one));
  expect(refused).toMatchObject([{ code: "CONFLICT", details: { slug: `${slug}-3` } }]);
  // A refused creator is left with nothing.
  const lists = await Promise.all(ownerIds.map((ownerId) => listWorkspaces(env.DB, ownerId)));
  expect(lists.flat()).toHaveLength(1);
});

test("a taken slug, an unknown model and an unknown timezone change nothing", async () => {
  const [{ workspace }, other] = [await create(newSlug()), await create(newSlug())];
  const slug = other.workspace.slug;
  expect(await updateWorkspace(env, workspace.id, { name: "New", slug })).toMatchObject({
    code: "CONFLICT",
    details: { slug: `${slug}-2` },
  });
  expect(await updateWorkspace(env, workspace.id, { name: "New", defaultModel: "nobody:knows__high" })).toMatchObject({
    code: "VALIDATION_ERROR",
    details: [{ path: "defaultModel" }],
  });
  expect(await updateWorkspace(env, workspace.id, { timezone: "+02:00" })).toMatchObject({ code: "VALIDATION_ERROR" });
  expect(await updateWorkspace(env, workspace.id, {})).toEqual(workspace);
});

test("changes are stored, and a timezone as it was sent", async () => {
  const { workspace } = await create(newSlug());
  const defaultModel = "zai:glm__high";
  const changes = { name: "Renamed", slug: newSlug(), defaultModel };
  expect(await updateWorkspace(env, workspace.id, changes)).toEqual({ ...workspace, ...changes });
  expect(await updateWorkspace(env, workspace.id, { timezone: "Asia/Kolkata" })).toMatchObject({
    ...changes,
    timezone: "Asia/Kolkata",
  });
  expect(await updateWorkspace(env, workspace.id, { defaultModel: null })).toMatchObject({ defaultModel: null });
  // Its own slug is not taken.
  expect(await updateWorkspace(env, workspace.id, { slug: changes.slug })).toMatchObject({ slug: changes.slug });
});

test("a change of a deleted workspace is refused", async () => {
  expect(await updateWorkspace(env, "ws_gone", { name: "Nobody" })).toMatchObject({ code: "NOT_FOUND" });
});
