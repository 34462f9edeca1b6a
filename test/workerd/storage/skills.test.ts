// The saved skills of people and workspaces: names are unique also with concurrent writes, which
// skills a session has, and what is left of the bodies.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { startWorkspaceDeletion } from "../../../src/deletion/queries.ts";
import { issueAgentTokenAndAsk } from "../../../src/key/queries/keys.ts";
import { unconfirmedObjectMs } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import {
  deleteSkill,
  findSkill,
  listEnabledSkills,
  listPersonalSkills,
  listSessionSkills,
} from "../../../src/skill/queries.ts";
import type { SkillOwner } from "../../../src/skill/rules/custom-skill.ts";
import type { TextFile } from "../../../src/skill/rules/skill-files.ts";
import { createSkill, updateSkill } from "../../../src/skill/save.ts";
import { sweepUnconfirmedObjects } from "../../../src/storage/bodies.ts";

let id: string;
let elsewhere: string;
const person = (): SkillOwner => ({ type: "member", id });
const workspace = (of = id): SkillOwner => ({ type: "workspace", id: of });

/** A workspace whose owner is the person, and a second one. */
beforeEach(async () => {
  id = crypto.randomUUID();
  elsewhere = `${id}-2`;
  await env.DB.prepare("INSERT INTO users (id, name, email, created_at) VALUES (?1, 'U', ?1, 0)").bind(id).run();
  for (const [of, role] of [
    [id, "owner"],
    [elsewhere, "member"],
  ])
    await env.DB.batch([
      env.DB.prepare("INSERT INTO workspaces (id, name, slug, plan, created_at) VALUES (?1, ?1, ?1, 'team', 0)").bind(
        of,
      ),
      env.DB.prepare("INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES (?1, ?2, ?3, 0)").bind(
        of,
        id,
        role,
      ),
    ]);
});

const files = (name: string, more = ""): TextFile[] => [
  { path: "SKILL.md", content: `---\nname: ${name}\ndescription: D\n---\nDo it. ${more}` },
];
const keep = (owner: SkillOwner, name: string, enabled = true) =>
  createSkill(env, owner, { files: files(name), enabled }, Date.now());
async function kept(owner: SkillOwner, name: string, enabled = true): Promise<string> {
  const answer = await keep(owner, name, enabled);
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}
const getCode = (answer: unknown) => (isRefusal(answer) ? answer.code : answer);
const update = (owner: SkillOwner, change: { id: string; enabled?: boolean; files?: TextFile[] }) =>
  updateSkill(env, owner, change, Date.now());
const names = (skills: { name: string; ownerType: string }[]) => skills.map((one) => `${one.ownerType} ${one.name}`);
const stored = async () => (await env.STORE.list({ prefix: "skills/" })).objects.map(({ key }) => key);
const readBodyKey = async (owner: SkillOwner, of: string) => (await findSkill(env.DB, owner, of))?.bodyKey ?? "";

test("of many concurrent creates of one name, one succeeds, and nothing is stored of the others", async () => {
  const before = await stored();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => keep(person(), "one", at % 2 === 0)));
  expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(1);
  expect(new Set(answers.filter(isRefusal).map(getCode))).toEqual(new Set(["SKILL_NAME_TAKEN"]));
  expect(await stored()).toHaveLength(before.length + 1);
  expect(isRefusal(await keep(workspace(), "one"))).toBe(false);
});

test("an edit takes no existing name either, but may keep its own; of concurrent edits to one name, one succeeds", async () => {
  const [one, two, three] = [await kept(person(), "one"), await kept(person(), "two"), await kept(person(), "three")];
  const body = await readBodyKey(person(), two);
  expect(getCode(await update(person(), { id: two, files: files("one"), enabled: false }))).toBe("SKILL_NAME_TAKEN");
  expect(await findSkill(env.DB, person(), two)).toMatchObject({ name: "two", enabled: true, bodyKey: body });
  expect(await update(person(), { id: one, files: files("one", "More.") })).toBe(null);
  const both = await Promise.all([two, three].map((of) => update(person(), { id: of, files: files("four") })));
  expect(both.map(getCode).toSorted()).toEqual(["SKILL_NAME_TAKEN", null]);
});

test("refused files leave nothing stored", async () => {
  const before = await stored();
  const one = await kept(person(), "one");
  expect(getCode(await createSkill(env, person(), { files: [], enabled: true }, 0))).toBe("VALIDATION_ERROR");
  expect(getCode(await update(person(), { id: one, files: [{ path: "a", content: "" }] }))).toBe("VALIDATION_ERROR");
  expect(await stored()).toHaveLength(before.length + 1);
});

test("another user's skill is not found, and an edit of it stores nothing", async () => {
  const one = await kept(person(), "one");
  const other: SkillOwner = { type: "member", id: "somebody-else" };
  const before = await stored();
  expect(getCode(await update(other, { id: one, files: files("mine") }))).toBe("NOT_FOUND");
  expect(getCode(await update(workspace(), { id: one, enabled: false }))).toBe("NOT_FOUND");
  expect(await deleteSkill(env.DB, other, one, 0)).toBe(false);
  expect(await stored()).toEqual(before);
});

test("a replaced or deleted body exists until a turn that may need it has fetched it, then the sweep deletes it", async () => {
  const one = await kept(person(), "one");
  const first = await readBodyKey(person(), one);
  await update(person(), { id: one, files: files("one", "Other.") });
  const second = await readBodyKey(person(), one);
  await sweepUnconfirmedObjects(env, Date.now() + unconfirmedObjectMs / 2);
  expect(await stored()).toEqual(expect.arrayContaining([first, second]));
  await sweepUnconfirmedObjects(env, Date.now() + 2 * unconfirmedObjectMs);
  expect(await stored()).not.toContain(first);
  expect(await stored()).toContain(second);
  expect(await deleteSkill(env.DB, person(), one, Date.now())).toBe(true);
  await sweepUnconfirmedObjects(env, Date.now() + 2 * unconfirmedObjectMs);
  expect(await stored()).not.toContain(second);
});

test("a personal skill replaces the enabled skills of its name in the person's workspaces, while it is on", async () => {
  const one = await kept(person(), "one");
  const here = await kept(workspace(), "one");
  await kept(workspace(elsewhere), "one");
  await kept(workspace(), "other");
  const replaced = async (onlyWorkspaceId: string | null = null) =>
    (await listPersonalSkills(env.DB, id, { onlyWorkspaceId }))[0]?.replaces.map(({ workspaceId }) => workspaceId);
  expect(await replaced()).toEqual([id, elsewhere]);
  expect(await replaced(elsewhere)).toEqual([elsewhere]);
  await update(workspace(), { id: here, enabled: false });
  expect(await replaced()).toEqual([elsewhere]);
  await update(person(), { id: one, enabled: false });
  expect(await replaced()).toEqual([]);
});

test("a session has the enabled skills of its workspace, and of its Assignee while they are a member", async () => {
  await kept(person(), "one");
  await kept(person(), "off", false);
  await kept(workspace(), "one");
  await kept(workspace(elsewhere), "two");
  await env.DB.prepare(
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, queue_count,
       assignee_kind, assignee_id, created_at, updated_at) VALUES (?1, ?1, ?1, 'S', 'active', 'none', 'main', ?1, 0, 0, 'member', ?1, 0, 0)`,
  )
    .bind(id)
    .run();
  const both = ["member one", "workspace one"];
  expect(names(await listSessionSkills(env.DB, id, id))).toEqual(both);
  expect(names(await listEnabledSkills(env.DB, id, id).all())).toEqual(both);
  expect(names(await listEnabledSkills(env.DB, id, null).all())).toEqual(["workspace one"]);
  const grant = { workspaceId: id, sessionId: id, turnId: id, userId: null, expiresAt: 1 };
  const asked = { subscriber: null, provider: "anthropic", assigneeId: id, readerId: null } as const;
  expect(names((await issueAgentTokenAndAsk(env.DB, grant, asked, 0)).skills)).toEqual(both);
  await env.DB.prepare("DELETE FROM members WHERE workspace_id = ?1").bind(id).run();
  expect(names(await listSessionSkills(env.DB, id, id))).toEqual(["workspace one"]);
});

test("the skills of a deleted workspace are deleted, and none is added to it", async () => {
  const one = await kept(workspace(), "one");
  const body = await readBodyKey(workspace(), one);
  await startWorkspaceDeletion(env.DB, { id, name: id, ownerId: id }, 0);
  expect(await findSkill(env.DB, workspace(), one)).toBe(null);
  expect(isRefusal(await keep(workspace(), "late"))).toBe(true);
  await sweepUnconfirmedObjects(env, Date.now());
  expect(await stored()).not.toContain(body);
});
