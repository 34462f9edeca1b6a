// Commands against a service whose answers are written down: what a running one answers rarely, or
// only with much data.
import { afterEach, describe, expect, test } from "vitest";
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

const names = { projectName: "Departures", workspaceName: "Acme", chatSessionId: null, source: null };

test("only what is printed of the feed is marked as seen", async () => {
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

describe("the feed that is followed", () => {
  const open = () =>
    openService(({ operation, query }) => {
      if (operation === "GET /api/organizations") return { data: [] };
      if (operation === "GET /api/activity")
        return query.get("kind") === "nothing"
          ? { status: 400, code: "BAD_REQUEST" }
          : { data: [], meta: { pagination: { hasMore: false, nextCursor: null } } };
      if (operation !== "GET /api/events") return undefined;
      const kinds = ["session_started:action", "pr_merged:change", "cron_run_failed:change", "cron_created:action"];
      const events = kinds.map((kind, at) => {
        const [name, category] = kind.split(":");
        return { ...names, id: String(at), kind: name, category, createdAt: "2026-11-01T00:00:00Z", text: name };
      });
      return { events: events.map((event) => ({ id: event.id, type: "activity", data: { event } })) };
    });

  test.each([
    ["change", ["pr_merged", "cron_run_failed"]],
    ["action", ["session_started", "cron_created"]],
    ["session_started,cron_run_failed", ["session_started", "cron_run_failed"]],
  ])("has only the kinds of --kind %s", async (kind, expected) => {
    const { sy } = await open();
    const until = `"kind":"${expected.at(-1)}"`;
    const { stdout } = await sy("activity", "-f", "--kind", kind, "--json", { until, interrupts: true });
    const printed = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).kind);
    expect(printed.slice(0, expected.length)).toEqual(expected);
  });

  test("refuses what it would ignore", async () => {
    const { sy } = await open();
    for (const flag of [["--since", "24h"], ["--unseen"], ["--mark-seen"]])
      expect(await sy("activity", "-f", ...flag)).toMatchObject(refused(2, "--follow takes no --since"));
    expect(await sy("activity", "-f", "--kind", "nothing")).toMatchObject({ code: 1 });
  });
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

const carriageReturns = "one\r\ntwo\u001b[0m\r\n \r\n";

test("a file gets the patch of a diff and the text of an artifact with every character", async () => {
  const session = { id: "11111111-1111-4111-8111-111111111111", projectId: "p" };
  const path = `/api/projects/p/chat-sessions/${session.id}`;
  const artifact = { id: "a", slug: "notes", title: "Notes", body: carriageReturns, url: null };
  const { sy } = await openService(({ operation }) => {
    if (operation === `GET /api/chat-sessions/${session.id}`) return { data: { session } };
    if (operation === `GET ${path}/artifacts`) return { data: { artifacts: [artifact] } };
    if (operation === `GET ${path}/artifacts/a`) return { data: artifact };
    return operation.endsWith("/diff") ? { data: { patch: carriageReturns, isCut: false } } : undefined;
  });
  expect((await sy("diff", session.id)).stdout).toBe(carriageReturns);
  expect((await sy("artifacts", session.id, "get", "notes")).stdout).toBe(`${carriageReturns}\n`);
});

test.each([
  ["an unknown flag", ["--json", "ls", "--bogus"], "unknown option '--bogus'"],
  ["an unknown value", ["ls", "--json", "--status", "nope"], "'nope' is invalid"],
  ["a missing argument", ["--json", "send"], "missing required argument 'id'"],
  ["an unknown command", ["bogus", "--json"], "unknown command 'bogus'"],
  ["no command", ["queue", "--json"], "Name a command."],
])("with --json, %s is refused with one document", async (_, args, error) => {
  const { sy } = await openService(() => undefined);
  const { code, stdout, stderr } = await sy(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(JSON.parse(stderr)).toEqual({ error: expect.stringContaining(error), exitCode: 2 });
});

test("--timeout ends a wait for a message that is still Up next, and the session can be found again", async () => {
  const id = "11111111-1111-4111-8111-111111111111";
  const session = { id, projectId: "p", sessionUrl: "https://host/s", latestChatJob: { status: "running" } };
  const path = `/api/projects/p/chat-sessions/${id}`;
  const { sy } = await openService(({ operation }) => {
    if (operation === `GET /api/chat-sessions/${id}`) return { data: { session } };
    if (operation === `POST ${path}/jobs/chat`)
      return { status: 201, data: { delivery: "queued", queuedMessageId: "waits" } };
    // The stream stays open, and has nothing new.
    return operation === `GET ${path}/events` ? { events: [] } : undefined;
  });
  const send = ["send", id, "Later.", "--wait", "--timeout", "0.1s"];
  expect(await sy(...send)).toMatchObject(refused(124, `still waits Up next.\n→ sy wait ${id.slice(-6)}`));
  const { code, stdout } = await sy(...send, "--json");
  expect({ code, data: JSON.parse(stdout) }).toEqual({
    code: 124,
    data: { sessionId: id, sessionUrl: "https://host/s" },
  });
});

/** A service with one project, `p`. */
async function openProject(answer: (request: HttpRequest) => HttpAnswer | undefined) {
  const pagination = { hasMore: false };
  return await openService((request) => {
    if (request.operation === "GET /api/projects") return { data: [{ id: "p", name: "p" }], meta: { pagination } };
    const given = answer(request);
    return given && "data" in given ? { meta: { pagination }, ...given } : given;
  });
}

const toDeploy = (id: string, status: string) => ({ id, status, error: null });
const startDeploy = "POST /api/projects/p/settings/agentic-deploy";
const listDeploys = "GET /api/projects/p/deploys";

test("a wait for a Deploy ends when somebody starts another one", async () => {
  let isStarted = false;
  const { sy } = await openProject(({ operation }) => {
    if (operation === listDeploys)
      return { data: isStarted ? [toDeploy("other", "running_agent"), toDeploy("own", "cancelled")] : [] };
    if (operation === startDeploy) {
      isStarted = true;
      return { data: { delivery: "job", deployJobId: "own" } };
    }
    if (operation !== "GET /api/projects/p/deploy-messages/events") return undefined;
    const deploys = [toDeploy("own", "running_agent"), toDeploy("other", "creating_sandbox")];
    return { events: deploys.map((deploy, at) => ({ id: String(at + 1), type: "deploy", data: { deploy } })) };
  });
  expect(await sy("deploy", "start", "--wait", "-p", "p")).toEqual({
    code: 6,
    stdout: "The Deploy is cancelled.\n",
    stderr: "running agent\ncancelled\n",
  });
});

describe("a Deploy that is started again with a text", () => {
  const open = (refusals: number, afterStop: string) => {
    let [isStopped, refused] = [false, 0];
    return openProject(({ operation }) => {
      if (operation === listDeploys) return { data: [toDeploy("own", isStopped ? afterStop : "running_agent")] };
      if (operation === `${startDeploy}/cancel`) {
        isStopped = true;
        return { data: { cancelled: 1, discardedInstructions: [{ content: "Faster." }] } };
      }
      if (operation !== startDeploy) return undefined;
      refused += 1;
      if (!isStopped || refused <= refusals) return { status: 409, code: "DEPLOY_ACTIVE" };
      return { data: { delivery: "job", deployJobId: "new" } };
    });
  };
  const again = ["deploy", "start", "Use port 80.", "--restart", "-p", "p"];

  test("waits until the one that runs is stopped", async () => {
    const { sy, requests } = await open(1, "cancelled");
    expect(await sy(...again)).toMatchObject({ code: 0, stderr: "not sent: Faster.\n" });
    const posts = requests.filter(({ operation }) => operation.startsWith("POST"));
    const body = { userResponse: "Use port 80.", freshDeploy: true };
    expect(posts.map((post) => [post.operation, post.body])).toEqual([
      [`${startDeploy}/cancel`, null],
      [startDeploy, body],
      [startDeploy, body],
    ]);
  });

  test("is refused when somebody else has started one", async () => {
    const { sy, requests } = await open(9, "running_agent");
    expect(await sy(...again)).toMatchObject(refused(1, "sy deploy cancel"));
    expect(requests.filter(({ operation }) => operation === startDeploy)).toHaveLength(1);
  });
});

describe("a cron that is fired", () => {
  const cron = "/api/organizations/w/crons/cron-1";
  const open = (...fired: { runId: string; status: string }[]) => {
    const looks: Record<string, number> = {};
    return openService(({ operation }) => {
      if (operation === "GET /api/organizations") return { data: [{ id: "w", slug: "acme", name: "Acme" }] };
      if (operation === "GET /api/organizations/w/crons")
        return { data: { crons: [{ id: "cron-1", name: "Nightly" }], total: 1 } };
      if (operation === `POST ${cron}/run`) return { data: { runs: fired } };
      const [, id = "", isStream] = /\/runs\/([\w-]+)(\/events)?$/.exec(operation) ?? [];
      looks[id] = (looks[id] ?? 0) + 1;
      if (id === "run-lost" || (id === "run-late" && looks[id] === 1)) return undefined;
      if (isStream) return { events: [{ id: "1", type: "end", data: {} }] };
      const ended = { status: "succeeded", projectName: id, error: null, filedSessions: [] };
      return { data: { id, ...ended, report: { reply: `Reply of ${id}.` } } };
    });
  };

  test("is waited for also if its run has not started yet", async () => {
    const { sy } = await open({ runId: "run-late", status: "queued" });
    expect(await sy("cron", "run", "Nightly", "--wait")).toMatchObject({
      code: 0,
      stdout: "run-late: succeeded\nReply of run-late.\n",
    });
  });

  test("has the replies of its other runs if one is lost", async () => {
    const lost = { runId: "run-lost", status: "running" };
    expect(await (await open(lost)).sy("cron", "run", "Nightly", "--wait")).toMatchObject(refused(1, "No."));
    close();
    const { sy } = await open(lost, { runId: "run-good", status: "running" });
    expect(await sy("cron", "run", "Nightly", "--wait")).toMatchObject({
      ...refused(1, "No."),
      stdout: "run-good: succeeded\nReply of run-good.\n",
    });
  });
});

test("a webhook is not enabled if the time since when events are sent again is no time", async () => {
  const { sy, requests } = await openService(({ operation }) => {
    if (operation === "GET /api/organizations") return { data: [{ id: "w", slug: "acme", name: "Acme" }] };
    return operation.startsWith("GET") ? { data: [{ id: "hook-1", name: "CI" }] } : { data: { count: 3 } };
  });
  expect(await sy("webhooks", "enable", "CI", "--recover", "yesterday")).toMatchObject(refused(2, "2026-11-24"));
  expect(requests).toEqual([]);
  expect(await sy("webhooks", "enable", "CI", "--recover", "2026-11-24")).toMatchObject({ code: 0 });
  expect(requests.at(-1)?.body).toEqual({ since: "2026-11-24T00:00:00.000Z" });
});

test("sy api sends every name of the query, also one that comes again", async () => {
  const { sy, requests } = await openService(() => ({ data: [] }));
  await sy("api", "get", "/api/chat-sessions?metadata=ci:1&metadata=by:mia&search=why?&sort=a=b");
  await sy("api", "get", "/api/chat-sessions?metadata=ci:1", "-f", "search=why?");
  expect(requests.map(({ operation, query }) => [operation, ...query])).toEqual([
    ["GET /api/chat-sessions", ["metadata", "ci:1"], ["metadata", "by:mia"], ["search", "why?"], ["sort", "a=b"]],
    ["GET /api/chat-sessions", ["metadata", "ci:1"], ["search", "why?"]],
  ]);
});

describe("the rows that are asked for are read from as many pages as they have", () => {
  const run = { createdAt: "2026-11-01T00:00:00Z", triggerName: "Reviews", outcome: "sent", reason: null };
  const listPage = (query: URLSearchParams) => {
    const [page, size] = [Number(query.get("page") ?? 1), Number(query.get("pageSize") ?? 25)];
    const ids = Array.from({ length: 250 }, (_, at) => ({ ...run, id: `run-${at}`, sessionId: null }));
    return { found: ids.slice((page - 1) * size, page * size), pagination: { page, hasMore: page * size < 250 } };
  };
  const toIds = ({ stdout }: Ran) => JSON.parse(stdout).map(({ id }: { id: string }) => id);

  test("of triggers", async () => {
    const { sy } = await openProject(({ operation, query }) => {
      const { found, pagination } = listPage(query);
      return operation === "GET /api/projects/p/trigger-runs" ? { data: found, meta: { pagination } } : undefined;
    });
    const ids = toIds(await sy("triggers", "runs", "-n", "150", "-p", "p", "--json"));
    expect([new Set(ids).size, ids.at(-1)]).toEqual([150, "run-149"]);
    expect(toIds(await sy("triggers", "runs", "-p", "p", "--json"))).toHaveLength(30);
  });

  test("of a cron", async () => {
    const { sy } = await openService(({ operation, query }) => {
      if (operation === "GET /api/organizations") return { data: [{ id: "w", slug: "acme", name: "Acme" }] };
      if (operation === "GET /api/organizations/w/crons")
        return { data: { crons: [{ id: "cron-1", name: "Nightly" }], total: 1 } };
      if (operation !== "GET /api/organizations/w/crons/cron-1/runs") return undefined;
      const ofCron = { status: "succeeded", projectName: "Departures", startedAt: null, completedAt: null };
      const runs = listPage(query).found.map((one) => ({ ...one, ...ofCron }));
      return { data: { runs, total: 250, failed: 0 } };
    });
    const ids = toIds(await sy("cron", "runs", "Nightly", "-n", "150", "--json"));
    expect([new Set(ids).size, ids.at(-1)]).toEqual([150, "run-149"]);
    expect(toIds(await sy("cron", "runs", "Nightly", "-n", "900", "--json"))).toHaveLength(250);
  });

  test("of what a webhook got", async () => {
    const { sy } = await openService(({ operation, query }) => {
      if (operation === "GET /api/organizations") return { data: [{ id: "w", slug: "acme", name: "Acme" }] };
      if (operation === "GET /api/organizations/w/webhooks") return { data: [{ id: "hook-1", name: "CI" }] };
      if (operation !== "GET /api/organizations/w/webhooks/hook-1/deliveries") return undefined;
      const { found, pagination } = listPage(query);
      const sent = { type: "job.completed", status: "failed", attempts: 1, answerStatus: 500 };
      return { data: found.map((one) => ({ ...one, ...sent })), meta: { pagination } };
    });
    const ids = toIds(await sy("webhooks", "deliveries", "CI", "-n", "150", "--json"));
    expect([new Set(ids).size, ids.at(-1)]).toEqual([150, "run-149"]);
    expect(toIds(await sy("webhooks", "deliveries", "CI", "--json"))).toHaveLength(100);
  });
});
