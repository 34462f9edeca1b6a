// The body of a send, field by field: what is accepted as JSON and as a form, and which code
// refuses the rest.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";

const world = apiWorld();
const owner = createClient(world);
let backlog: string;
beforeAll(async () => {
  backlog = (await owner.createSession({ title: "Send body", status: "backlog", prompt: "Later." })).path;
});

const comment = {
  id: randomUUID(),
  filePath: "src/a.ts",
  side: "new",
  startLineNumber: 3,
  endLineNumber: 5,
  body: "Why?",
  lineSnapshot: "a\nb\nc",
};
/** The fields of a review comment that a diff comment does not have. */
const readBesides = { resolved: false, outdated: false, author: { userId: "usr_1" }, createdAt: "", updatedAt: "" };
const preview = { frontendName: "web", path: "/board?a=1" };
const without = (name: keyof typeof comment) =>
  Object.fromEntries(Object.entries(comment).filter(([key]) => key !== name));
const comments = (count: number) => Array.from({ length: count }, () => ({ ...comment, id: randomUUID() }));

/** A Backlog session refuses every message, but only after it has accepted the body. */
const taken = { status: 400, code: "BAD_REQUEST", error: expect.stringContaining("Backlog") };

interface Refused {
  status: number;
  code: string;
  error: string;
  details?: { path: string }[];
}

async function sendJson(body: unknown, headers: Record<string, string> = {}): Promise<Refused> {
  const answer = await owner.call("POST", `${backlog}/jobs/chat`, body, headers);
  return { status: answer.status, ...answer.body };
}

async function sendForm(entries: [string, string | Blob][]): Promise<Refused> {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  const response = await fetch(`${world.baseUrl}${backlog}/jobs/chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.users.owner.apiKey}` },
    body: form,
  });
  return { status: response.status, ...((await response.json()) as Omit<Refused, "status">) };
}

describe("a JSON body is accepted", () => {
  test.each<[string, Record<string, unknown>]>([
    ["with content alone", { content: "hi" }],
    ["with content of 200,000 characters", { content: "a".repeat(200_000) }],
    ["with a model that the catalog lacks", { content: "hi", model: "no such model" }],
    ["with an empty model", { content: "hi", model: "" }],
    ["with the page that the sender looks at", { content: "hi", previewContext: preview }],
    ["with comments and content", { content: "hi", diffCommentsContext: comments(1) }],
    ["with comments and empty content", { content: "", diffCommentsContext: comments(1) }],
    ["with 50 comments", { content: "hi", diffCommentsContext: comments(50) }],
    ["with no comments", { content: "hi", diffCommentsContext: [] }],
    ["with a comment on the old side", { content: "hi", diffCommentsContext: [{ ...comment, side: "old" }] }],
    ["with a failed job", { content: "hi", retryFailedJobId: randomUUID() }],
    ["with a running job", { content: "hi", runningJobId: randomUUID() }],
    ["with comments as they are read", { content: "hi", diffCommentsContext: [{ ...comment, ...readBesides }] }],
  ])("%s", async (_, body) => {
    expect(await sendJson(body)).toEqual(taken);
  });
});

/** What is wrong, the body, and the field that `details` must name. */
// biome-ignore format: a table is read by its rows.
const mistakes: [string, Record<string, unknown>, string][] = [
  ["a model that is no text", { content: "hi", model: 5 }, "model"],
  ["a preview context that is a text", { content: "hi", previewContext: "/" }, "previewContext"],
  ["a preview context without a frontend", { content: "hi", previewContext: { path: "/" } }, "previewContext.frontendName"],
  ["a preview context without a path", { content: "hi", previewContext: { frontendName: "web" } }, "previewContext.path"],
  ["a path that does not begin with /", { content: "hi", previewContext: { ...preview, path: "a" } }, "previewContext.path"],
  ["an empty path", { content: "hi", previewContext: { ...preview, path: "" } }, "previewContext.path"],
  ["comments that are no list", { content: "hi", diffCommentsContext: comment }, "diffCommentsContext"],
  ["51 comments", { content: "hi", diffCommentsContext: comments(51) }, "diffCommentsContext"],
  ["a comment that is a text", { content: "hi", diffCommentsContext: ["hi"] }, "diffCommentsContext.0"],
  ...(Object.keys(comment) as (keyof typeof comment)[]).map((name): [string, Record<string, unknown>, string] => [
    `a comment without ${name}`, { content: "hi", diffCommentsContext: [comment, without(name)] }, `diffCommentsContext.1.${name}`,
  ]),
  ["a comment whose id is no UUID", { content: "hi", diffCommentsContext: [{ ...comment, id: "1" }] }, "diffCommentsContext.0.id"],
  ["a comment on a third side", { content: "hi", diffCommentsContext: [{ ...comment, side: "both" }] }, "diffCommentsContext.0.side"],
  ["a comment on half a line", { content: "hi", diffCommentsContext: [{ ...comment, endLineNumber: 1.5 }] }, "diffCommentsContext.0.endLineNumber"],
  ["a failed job that is no UUID", { content: "hi", retryFailedJobId: "1" }, "retryFailedJobId"],
  ["a running job that is no text", { content: "hi", runningJobId: 1 }, "runningJobId"],
  ["a field that nobody knows", { content: "hi", more: "1" }, "more"],
  ["a page with one", { content: "hi", previewContext: { ...preview, title: "Home" } }, "previewContext.title"],
  ["a comment with one", { content: "hi", diffCommentsContext: [{ ...comment, colour: "green" }] }, "diffCommentsContext.0.colour"],
  ["content of 200,001 characters", { content: "a".repeat(200_001) }, "content"],
];

describe("a JSON body is refused as VALIDATION_ERROR", () => {
  test.each([
    ...mistakes,
    ["nothing at all", {}, "content"],
    ["content with half a character", { content: "hi \ud83d" }, "content"],
    ["comments and no content", { diffCommentsContext: comments(1) }, "content"],
    ["empty content", { content: "" }, "content"],
    ["blanks and no comments", { content: " \n", diffCommentsContext: [] }, "content"],
    ["empty content beside a page", { content: "", previewContext: preview }, "content"],
  ] as typeof mistakes)("for %s", async (_, body, field) => {
    const refused = await sendJson(body);
    expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
    expect(refused.details?.map(({ path }) => path)).toContain(field);
  });
});

const file = (bytes = 3) => new Blob([new Uint8Array(bytes)], { type: "image/png" });
/** The fields of a JSON body as a form contains them. */
const asForm = (body: Record<string, unknown>) =>
  Object.entries(body).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);

describe("a form is accepted", () => {
  test.each<[string, [string, string | Blob][]]>([
    ["with content alone", [["content", "hi"]]],
    [
      "with every field",
      asForm({
        content: "hi",
        model: "any",
        previewContext: preview,
        diffCommentsContext: comments(2),
        attachmentCount: 0,
        retryFailedJobId: randomUUID(),
        runningJobId: randomUUID(),
      }),
    ],
    [
      "with a file and empty content",
      [
        ["content", ""],
        ["attachmentCount", "1"],
        ["attachment_0", file()],
      ],
    ],
    [
      "with an empty file",
      [
        ["content", ""],
        ["attachmentCount", "1"],
        ["attachment_0", file(0)],
      ],
    ],
    ["with comments and empty content", asForm({ content: "", diffCommentsContext: comments(1) })],
  ])("%s", async (_, entries) => {
    expect(await sendForm(entries)).toEqual(taken);
  });
});

describe("a form is refused as VALIDATION_ERROR", () => {
  const isNotOfJsonAlone = ([, body]: (typeof mistakes)[number]) =>
    typeof body.model !== "number" && body.runningJobId !== 1;
  test.each(mistakes.filter(isNotOfJsonAlone))("for %s", async (_, body, field) => {
    const refused = await sendForm(asForm(body));
    expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
    expect(refused.details?.map(({ path }) => path)).toContain(field);
  });

  test.each<[string, [string, string | Blob][], string]>([
    [
      "no content beside a file",
      [
        ["attachmentCount", "1"],
        ["attachment_0", file()],
      ],
      "content",
    ],
    ["no content beside comments", asForm({ diffCommentsContext: comments(1) }), "content"],
    [
      "a preview context that is no JSON",
      [
        ["content", "hi"],
        ["previewContext", "/"],
      ],
      "previewContext",
    ],
    [
      "comments that are no JSON",
      [
        ["content", "hi"],
        ["diffCommentsContext", "[{"],
      ],
      "diffCommentsContext",
    ],
    [
      "a file in an unknown field",
      [
        ["content", "hi"],
        ["picture", file()],
      ],
      "picture",
    ],
    [
      "a field that comes twice",
      [
        ["content", "hi"],
        ["content", "ho"],
      ],
      "content",
    ],
  ])("for %s", async (_, entries, field) => {
    const refused = await sendForm(entries);
    expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
    expect(refused.details?.map(({ path }) => path)).toContain(field);
  });

  test("for bytes that are not a form", async () => {
    const contentTypes = ["multipart/form-data; boundary=b", "multipart/form-data"];
    for (const contentType of contentTypes) {
      const refused = await sendJson("content=hi", { "content-type": contentType });
      expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
      expect(refused.details).toEqual([{ path: expect.any(String), message: expect.any(String) }]);
    }
  });
});

describe("a form is refused as BAD_REQUEST", () => {
  const files = (count: number, bytes?: number): [string, Blob][] =>
    Array.from({ length: count }, (_, place) => [`attachment_${place}`, file(bytes)]);
  test.each<[string, [string, string | Blob][], RegExp]>([
    ["for an empty message", [["content", " "]], /empty/],
    [
      "for an empty message with no comments",
      [
        ["content", ""],
        ["diffCommentsContext", " [ ] "],
      ],
      /empty/,
    ],
    [
      "for fewer files than it says",
      [["content", "hi"], ["attachmentCount", "3"], ...files(2)],
      /attachmentCount says 3, but 2/,
    ],
    [
      "for more files than it says",
      [["content", "hi"], ["attachmentCount", "1"], ...files(2)],
      /attachmentCount says 1, but 2/,
    ],
    ["for 11 files", [["content", "hi"], ["attachmentCount", "11"], ...files(11)], /at most 10 files/],
    [
      "for a file over 10,485,760 bytes",
      [["content", "hi"], ["attachmentCount", "1"], ...files(1, 10_485_761)],
      /file blob is larger/,
    ],
  ])("%s", async (_, entries, message) => {
    expect(await sendForm(entries)).toMatchObject({
      status: 400,
      code: "BAD_REQUEST",
      error: expect.stringMatching(message),
    });
  });
});

test("routes without files refuse a form", async () => {
  const form = new FormData();
  form.append("name", "A form");
  const response = await fetch(`${world.baseUrl}/api/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.users.owner.apiKey}` },
    body: form,
  });
  expect([response.status, await response.json()]).toEqual([
    415,
    expect.objectContaining({ code: "UNSUPPORTED_MEDIA_TYPE" }),
  ]);
});
