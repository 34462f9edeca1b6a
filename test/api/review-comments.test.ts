// Review comments: who creates, reads, changes and deletes them.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const admin = createClient(world, "admin");

const text = {
  filePath: "src/board.js",
  side: "new",
  startLineNumber: 3,
  endLineNumber: 5,
  body: "Name this.",
  lineSnapshot: "a\nb\nc",
};

let path: string;
let comments: string;
beforeAll(async () => {
  ({ path } = await owner.createSession({ title: "Review comments" }));
  comments = `${path}/review-comments`;
});

const add = async (client = owner, changes: object = {}, to = comments) =>
  (await client.post(to, { ...text, ...changes })).body.data.comment;
const patch = (client: typeof owner, id: string, body: unknown) => client.call("PATCH", `${comments}/${id}`, body);
const outcome = ({ status, body }: { status: number; body: { code: string } | null }) => [status, body?.code ?? null];
const all = async (of = comments) => (await owner.get(of)).body.data.comments;

test("a created comment is returned, and listed with the others, oldest first", async () => {
  const { path: own } = await owner.createSession({ title: "In order" });
  const to = `${own}/review-comments`;
  expect(await all(to)).toEqual([]);
  const { status, body } = await member.post(to, text);
  const { comment } = body.data;
  expect([status, Object.keys(body.data)]).toEqual([201, ["comment"]]);
  expect(comment).toEqual({
    ...text,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    resolved: false,
    outdated: false,
    author: { userId: world.users.member.id, name: "Mia Member", email: "member@example.com", imageUrl: null },
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: comment.createdAt,
  });
  const others = [await add(owner, { side: "old" }, to), await add(owner, { endLineNumber: 3 }, to)];
  expect(await all(to)).toEqual([comment, ...others]);
});

describe("any author of a comment", () => {
  test("any member can resolve and reopen it", async () => {
    const comment = await add(owner);
    const { status, body } = await patch(member, comment.id, { resolved: true });
    expect([status, body.data.comment]).toEqual([
      200,
      { ...comment, resolved: true, updatedAt: body.data.comment.updatedAt },
    ]);
    expect((await patch(admin, comment.id, { resolved: false })).body.data.comment.resolved).toBe(false);
  });

  test("only its author can change its text", async () => {
    const { id } = await add(member);
    for (const client of [owner, admin])
      expect(outcome(await patch(client, id, { body: "Mine." }))).toEqual([403, "FORBIDDEN"]);
    expect((await patch(member, id, { body: "Better.", resolved: true })).body.data.comment).toEqual(
      expect.objectContaining({ body: "Better.", resolved: true }),
    );
  });

  test("its author, an admin and the owner can delete it, another member cannot", async () => {
    for (const [author, remover, status] of [
      [member, member, 204],
      [member, admin, 204],
      [admin, owner, 204],
      [owner, member, 403],
    ] as const) {
      const { id } = await add(author);
      expect((await remover.delete(`${comments}/${id}`)).status).toBe(status);
      const left: { id: string }[] = await all();
      expect(left.some((comment) => comment.id === id)).toBe(status === 403);
    }
  });
});

test("the agent gets the current comments of a send, except resolved ones", async () => {
  const says = async (...context: object[]) => {
    const sent = await owner.send(path, "See my comments.", { diffCommentsContext: context });
    const { chatJobId } = sent.body.data;
    await owner.jobUntil(path, chatJobId);
    return JSON.stringify(await owner.listBlocks(path, chatJobId));
  };
  const comment = await add(owner, { body: script({ say: "As it was." }) });
  await patch(owner, comment.id, { body: script({ say: "As it is by now." }) });
  expect(await says(comment)).toContain("As it is by now.");
  await patch(owner, comment.id, { resolved: true });
  const unknown = { ...comment, id: randomUUID() };
  expect(await says(comment, unknown)).not.toContain("As it");
});

describe("a comment whose lines have changed", () => {
  let own: string;
  let to: string;
  let lines: string[];
  const write = async (content: string[]) => {
    const body = { path: "board.js", content: content.join("\n"), clientId: randomUUID() };
    expect((await owner.put(`${own}/preview/files/content`, body)).status).toBe(200);
  };
  const outdated = async () => (await all(to)).map((comment: { outdated: boolean }) => comment.outdated);

  beforeAll(async () => {
    const session = await owner.createSession({ title: "Outdated", content: script({ say: "Ready." }) });
    own = session.path;
    to = `${own}/review-comments`;
    await owner.jobUntil(own, session.jobId);
    const { content } = (await owner.get(`${own}/preview/files/content?path=board.js`)).body.data;
    lines = content.split("\n");
    const snapshot = { filePath: "board.js", lineSnapshot: lines.slice(2, 5).join("\n") };
    await add(owner, snapshot, to);
    await add(owner, { ...snapshot, side: "old" }, to);
    await add(owner, { filePath: "src/gone.js" }, to);
    await add(owner, { side: "old", filePath: "src/gone.js" }, to);
  });

  test("is outdated; a comment on unchanged lines is not", async () => {
    expect(await outdated()).toEqual([false, false, true, true]);
    await write(lines.with(3, "// another line"));
    expect(await outdated()).toEqual([true, false, true, true]);
    await write(["// one more", ...lines]);
    expect(await outdated()).toEqual([true, false, true, true]);
    await write([...lines, "// behind them"]);
    expect(await outdated()).toEqual([false, false, true, true]);
  });

  test("is outdated also if the service had to read its lines", async () => {
    await write(lines);
    const [first, last] = [
      await add(owner, { filePath: "board.js", lineSnapshot: undefined }, to),
      (await all(to)).at(-1),
    ];
    expect([first.lineSnapshot, last.outdated]).toEqual([lines.slice(2, 5).join("\n"), false]);
    await write(lines.with(3, "// another line"));
    expect((await all(to)).at(-1)).toMatchObject({ id: first.id, outdated: true });
    await owner.delete(`${to}/${first.id}`);
  });

  test("keeps its last state while the sandbox sleeps, and a read does not wake it", async () => {
    await write(lines.with(3, "// another line"));
    expect(await outdated()).toEqual([true, false, true, true]);
    const sessionIds = [own.split("/").at(-1)];
    await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds });
    await until("the sandbox to rest", async () => !(await owner.get(`${own}/preview/git-state`)).body.data.available);
    expect(await outdated()).toEqual([true, false, true, true]);
    expect((await add(owner, { filePath: "board.js", lineSnapshot: "" }, to)).lineSnapshot).toBe("");
    expect((await owner.get(`${own}/preview/git-state`)).body.data.available).toBe(false);
  });
});

describe("takes", () => {
  test.each<[string, object]>([
    ["a path of 2,048 characters", { filePath: "p".repeat(2048) }],
    ["a path with dots in its names", { filePath: "a..b/...c/.env" }],
    ["20,000 characters", { body: "b".repeat(20_000), lineSnapshot: "l".repeat(20_000) }],
    ["one line", { startLineNumber: 5 }],
    ["no lines kept", { lineSnapshot: "" }],
  ])("%s", async (_, changes) => {
    expect(await add(owner, changes)).toEqual(expect.objectContaining({ ...text, ...changes }));
  });
});

describe("refuses", () => {
  test.each<[string, object]>([
    ["a path from the root", { filePath: "/etc/passwd" }],
    ["a path with a NUL", { filePath: "a\0b" }],
    ["a path of git's own", { filePath: "sub/.Git/config" }],
    ["a path that leads out", { filePath: "src/../../x" }],
    ["a path that is only out", { filePath: ".." }],
    ["no path", { filePath: "" }],
    ["a path of 2,049 characters", { filePath: "p".repeat(2049) }],
    ["another side", { side: "left" }],
    ["line 0", { startLineNumber: 0 }],
    ["half a line", { endLineNumber: 5.5 }],
    ["an end before the start", { endLineNumber: 2 }],
    ["lines as text", { startLineNumber: "3" }],
    ["nothing said", { body: "" }],
    ["blanks alone", { body: " \n\t" }],
    ["20,001 characters", { body: "b".repeat(20_001) }],
    ["20,001 characters of lines", { lineSnapshot: "l".repeat(20_001) }],
    ["a missing end", { endLineNumber: undefined }],
  ])("%s", async (_, changes) => {
    expect(outcome(await owner.post(comments, { ...text, ...changes }))).toEqual([400, "VALIDATION_ERROR"]);
  });

  test.each([{ body: "" }, { body: " " }, { body: "b".repeat(20_001) }, { body: null }, { resolved: "yes" }])(
    "a change to %j",
    async (change) => {
      const { id } = await add();
      expect(outcome(await patch(owner, id, change))).toEqual([400, "VALIDATION_ERROR"]);
    },
  );

  test("a comment in a Backlog session, which has no changes", async () => {
    const { path: backlog } = await owner.createSession({ status: "backlog", prompt: "Later." });
    expect(outcome(await owner.post(`${backlog}/review-comments`, text))).toEqual([400, "BAD_REQUEST"]);
    expect(await all(`${backlog}/review-comments`)).toEqual([]);
  });

  test("a comment of another session, and an unknown one", async () => {
    const { id } = await add();
    const { path: other } = await owner.createSession({ title: "Another" });
    for (const of of [`${other}/review-comments/${id}`, `${comments}/${randomUUID()}`, `${comments}/none`]) {
      expect(outcome(await owner.call("PATCH", of, { resolved: true }))).toEqual([404, "NOT_FOUND"]);
      expect(outcome(await owner.delete(of))).toEqual([404, "NOT_FOUND"]);
    }
  });
});
