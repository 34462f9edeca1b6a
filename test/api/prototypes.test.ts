// Prototypes: created for a project in named variants, and copied onto Backlog sessions as
// artifacts of their own.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { getKeyHash } from "../../src/lib/base64url.ts";
import { createSecret } from "../../src/lib/ids.ts";
import { apiWorld } from "../support/api-world.ts";
import { clientWith, createClient } from "../support/client.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const inside = createInside(world);
const prototypes = `/api/projects/${world.projectId}/prototypes`;

const variants = [
  { name: "Compact", title: "A compact board", kind: "html", body: "<p>compact</p>" },
  {
    name: "Roomy",
    title: "A roomy board",
    kind: "html",
    body: '<meta name="artifact-version" content="4"><p>roomy</p>',
  },
  { name: "notes", title: "Notes", kind: "markdown", body: "# Notes" },
];
const request = { title: "Boards", variants };

let prototype: { id: string };
beforeAll(async () => {
  prototype = (await owner.post(prototypes, request)).body.data;
});

const backlog = () => owner.createSession({ status: "backlog", title: "To do", prompt: "Build it." });
const copy = (path: string, body: unknown, client = owner) => client.post(`${path}/artifacts`, body);
const readList = async (path: string) => (await owner.get(`${path}/artifacts`)).body.data.artifacts;
const readBody = async (path: string, id: string) => (await owner.get(`${path}/artifacts/${id}`)).body.data.body;

describe("a Prototype", () => {
  test("is created by a member, and read with its bodies and listed without them", async () => {
    const made = await member.post(prototypes, request);
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      projectId: world.projectId,
      title: "Boards",
      variants,
      createdBy: world.users.member.id,
      createdAt: expect.stringMatching(/Z$/),
    });
    const { id } = made.body.data;
    expect((await owner.get(`${prototypes}/${id}`)).body).toEqual(made.body);
    const list = (await owner.get(prototypes)).body.data;
    expect(list[0]).toEqual({ ...made.body.data, variants: variants.map(({ body: _, ...variant }) => variant) });
    expect(list.map((one: { id: string }) => one.id)).toContain(prototype.id);
  });

  test("is created by an agent that acts for its Assignee, and by no other agent", async () => {
    expect((await clientWith(world, world.agentTokens.ofOwner).post(prototypes, request)).status).toBe(201);
    expect((await clientWith(world, world.agentTokens.ofNobody).post(prototypes, request)).status).toBe(403);
  });

  test("is created by the Lead, an agent without a session that acts for a member", async () => {
    const token = createSecret("svc_agt_");
    await inside.sql(
      `INSERT INTO keys (hash, id, kind, user_id, workspace_id, name, last_four, created_at) VALUES (?1, ?2, 'agent', ?3, ?4, 'lead', '', 0)`,
      await getKeyHash(token),
      randomUUID(),
      world.users.member.id,
      world.workspaceId,
    );
    const lead = clientWith(world, token);
    const made = await lead.post(prototypes, request);
    expect([made.status, made.body.data.createdBy]).toEqual([201, world.users.member.id]);
    const { path } = await backlog();
    expect((await copy(path, { prototypeId: made.body.data.id, variant: "notes" }, lead)).status).toBe(201);
    expect((await lead.delete(path)).status).toBe(403);
    expect((await lead.get(`/api/projects/${world.outsideProjectId}/prototypes`)).status).toBe(403);
  });

  test("of one project is not found in another", async () => {
    const sibling = `/api/projects/${world.siblingProjectId}/prototypes`;
    expect((await owner.get(`${sibling}/${prototype.id}`)).status).toBe(404);
    expect((await owner.delete(`${sibling}/${prototype.id}`)).status).toBe(404);
    expect((await owner.get(sibling)).body.data).toEqual([]);
    expect((await owner.get(`${prototypes}/${prototype.id}`)).status).toBe(200);
  });

  const [first] = variants;
  test.each<[string, unknown]>([
    ["without a title", { variants }],
    ["without variants", { title: "T", variants: [] }],
    ["with two variants of one name", { title: "T", variants: [first, first] }],
    ["with an image", { title: "T", variants: [{ ...first, kind: "image" }] }],
    ["with an empty body", { title: "T", variants: [{ ...first, body: "" }] }],
    ["with a variant without a name", { title: "T", variants: [{ ...first, name: " " }] }],
    ["of 21 variants", { title: "T", variants: Array.from({ length: 21 }, (_, at) => ({ ...first, name: `v${at}` })) }],
  ])("%s is not found", async (_, body) => {
    const { status, body: answer } = await owner.post(prototypes, body);
    expect([status, answer.code]).toEqual([400, "VALIDATION_ERROR"]);
  });

  test("is deleted with its bodies, and its copies are kept", async () => {
    const { id } = (await owner.post(prototypes, request)).body.data;
    const { path } = await backlog();
    const copies = (await copy(path, { prototypeId: id })).body.data.artifacts;
    expect((await member.delete(`${prototypes}/${id}`)).status).toBe(204);
    expect((await owner.delete(`${prototypes}/${id}`)).status).toBe(404);
    expect((await owner.get(`${prototypes}/${id}`)).status).toBe(404);
    expect(await inside.storedKeys(`prototypes/${id}/`)).toEqual([]);
    expect(await readBody(path, copies[2].id)).toBe("# Notes");
    expect((await copy(path, { prototypeId: id })).status).toBe(404);
  });
});

describe("copied onto a Backlog session", () => {
  test("every variant becomes an artifact of the session", async () => {
    const { path } = await backlog();
    const { status, body } = await copy(path, { prototypeId: prototype.id }, member);
    expect(status).toBe(201);
    expect(body.data.artifacts).toMatchObject([
      { slug: "compact", title: "A compact board", kind: "html", version: 1 },
      { slug: "roomy", title: "A roomy board", kind: "html", version: 4 },
      { slug: "notes", title: "Notes", kind: "markdown", version: 1 },
    ]);
    const listed = await readList(path);
    expect(new Set(listed)).toEqual(new Set(body.data.artifacts));
    for (const [at, variant] of variants.entries())
      expect(await readBody(path, body.data.artifacts[at].id)).toBe(variant.body);
  });

  test("only a named variant is copied", async () => {
    const { path } = await backlog();
    const { body } = await copy(path, { prototypeId: prototype.id, variant: "notes" });
    expect(body.data.artifacts).toHaveLength(1);
    expect(await readList(path)).toEqual(body.data.artifacts);
  });

  test("a repeated copy is the next version of the same artifact; a copy of another Prototype is another artifact", async () => {
    const { path } = await backlog();
    const other = (await owner.post(prototypes, { ...request, title: "Others" })).body.data;
    const of = (prototypeId: string) => copy(path, { prototypeId, variant: "Compact" });
    const [first] = (await of(prototype.id)).body.data.artifacts;
    expect((await of(prototype.id)).body.data.artifacts).toMatchObject([{ id: first.id, slug: "compact", version: 2 }]);
    const [beside] = (await of(other.id)).body.data.artifacts;
    expect(beside).toMatchObject({ slug: `compact-${other.id.slice(-6)}`, version: 1 });
    expect((await of(other.id)).body.data.artifacts).toMatchObject([{ id: beside.id, version: 2 }]);
    expect(await readList(path)).toHaveLength(2);
  });

  test("the agent finds the copy and may rewrite it once the session starts", async () => {
    const { path } = await backlog();
    await copy(path, { prototypeId: prototype.id, variant: "notes" });
    const { chatJobId } = (await owner.post(`${path}/activate`)).body.data;
    await owner.jobUntil(path, chatJobId);
    const notes = { slug: "notes", title: "My notes", kind: "markdown", content: "# Mine" };
    await owner.run(path, { artifact: notes }, { say: "done" });
    expect(await readList(path)).toMatchObject([{ slug: "notes", title: "My notes", version: 2 }]);
  });

  test("an unknown Prototype or variant, or one of another project, is not found", async () => {
    const { path } = await backlog();
    const elsewhere = (await owner.post(`/api/projects/${world.siblingProjectId}/prototypes`, request)).body.data;
    for (const body of [
      { prototypeId: randomUUID() },
      { prototypeId: prototype.id, variant: "compact" },
      { prototypeId: elsewhere.id },
    ]) {
      const { status, body: answer } = await copy(path, body);
      expect([status, answer.code]).toEqual([404, "NOT_FOUND"]);
    }
    expect(await readList(path)).toEqual([]);
  });

  test.each([{}, { prototypeId: "boards" }, { prototypeId: 1 }])("%j is not a valid Prototype", async (body) => {
    const { status, body: answer } = await copy((await backlog()).path, body);
    expect([status, answer.code]).toEqual([400, "VALIDATION_ERROR"]);
  });
});

test.each(["active", "under-review", "completed", "archived"])(
  "nothing is copied onto a session that is %s",
  async (status) => {
    const { path } = await owner.createSession({ title: "Begun" });
    if (status !== "active") expect((await owner.put(path, { status })).status).toBe(200);
    const { status: answered, body } = await copy(path, { prototypeId: prototype.id });
    expect([answered, body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(await readList(path)).toEqual([]);
  },
);
