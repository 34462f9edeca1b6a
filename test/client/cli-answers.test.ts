// Commands against a service whose answers are written down: what a running one answers rarely, or
// only with much data.
import { afterEach, expect, test } from "vitest";
import { type HttpAnswer, type HttpRequest, startHttpService } from "./support/http-service.ts";
import { openTerminal, type Ran } from "./support/terminal.ts";

let close = () => {};
afterEach(() => close());

/** Opens a terminal for a service that answers as a function says. */
async function openService(answer: (request: HttpRequest) => HttpAnswer | undefined) {
  const service = await startHttpService(answer);
  close = service.close;
  const users = { owner: { apiKey: "svc_key_test" } };
  const { sy } = openTerminal({ baseUrl: service.url, users, projectId: "p" });
  return { sy, requests: service.requests };
}

const refused = (code: number, says: string): Partial<Ran> => ({ code, stderr: expect.stringContaining(says) });

test("only what is printed of the feed is marked as seen", async () => {
  const names = { projectName: "Departures", workspaceName: "Acme", chatSessionId: null, source: null };
  const toEvent = (at: number) => ({ id: `e${at}`, createdAt: "2026-11-01T00:00:00Z", text: `Event ${at}`, ...names });
  const { sy, requests } = await openService(({ operation, query }) => {
    if (operation === "GET /api/organizations") return { data: [{ id: "ws-acme", slug: "acme", name: "Acme" }] };
    if (operation === "PUT /api/activity/seen") return { status: 204, data: null };
    if (operation !== "GET /api/activity") return undefined;
    const [from, size] = [Number(query.get("cursor") ?? 0), Number(query.get("limit"))];
    const pagination = { hasMore: true, nextCursor: String(from + size) };
    return { data: Array.from({ length: size }, (_, at) => toEvent(from + at)), meta: { pagination } };
  });
  const listed = await sy("activity", "--mark-seen", "-n", "150", "-w", "acme", "--json");
  expect(JSON.parse(listed.stdout)).toHaveLength(150);
  const reads = requests.filter(({ operation }) => operation === "GET /api/activity").map(({ query }) => query);
  expect(reads.map((query) => [query.get("unseen"), query.get("markSeen")])).toEqual([
    ["true", null],
    ["true", null],
  ]);
  const listMarks = () => requests.filter(({ operation }) => operation.startsWith("PUT")).map(({ body }) => body);
  expect(listMarks()).toEqual([{ through: "e149", workspaceId: "ws-acme" }]);
  expect(await sy("activity", "--unseen", "-n", "2")).toMatchObject({ code: 0 });
  expect(await sy("activity", "--mark-seen", "--kind", "change")).toMatchObject(refused(2, "--mark-seen takes no"));
  expect(listMarks()).toHaveLength(1);
});

test.each([
  ["creditLimitReached", 5, "The workspace has used up its plan"],
  ["sandboxLimitReached", 1, "As many sandboxes run as the plan allows."],
])("with %s, sy preview exits with %i", async (flag, code, says) => {
  const session = { id: "11111111-1111-4111-8111-111111111111", projectId: "p" };
  const { sy } = await openService(({ operation }) => {
    if (operation === "GET /api/chat-sessions") return { data: [session], meta: { pagination: { hasMore: false } } };
    if (operation === `GET /api/chat-sessions/${session.id}`) return { data: { session } };
    if (operation === "GET /api/projects/p/preview") return { data: { frontendUrls: {}, [flag]: true } };
    return undefined;
  });
  expect(await sy("preview", session.id)).toMatchObject(refused(code, says));
});
