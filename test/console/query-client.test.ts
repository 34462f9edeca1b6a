// What was read leaves the page and the cache when the person may no longer read it.
import { ConnectionError, SwitchyardError } from "@switchyard/client";
import { MutationObserver, onlineManager, type QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, onTestFinished, test } from "vitest";
import { createQueryClient, dropClosed, workspacesKey } from "../../console/src/query-client.ts";

const failWith = (status: number) =>
  new SwitchyardError("No.", {
    ...{ status, failure: { code: "FORBIDDEN", details: undefined }, requestId: null },
    ...{ retryAfterMs: null, operation: "GET /x" },
  });

/** A page that has read the members of a workspace. The next reads fail with the error. */
async function showMembers(error: Error) {
  const client = createQueryClient();
  let isFailing = false;
  let workspaceReads = 0;
  const readWorkspaces = async () => ++workspaceReads;
  const workspaces = new QueryObserver(client, { queryKey: workspacesKey, queryFn: readWorkspaces });
  workspaces.subscribe(() => {});
  const members = new QueryObserver(client, {
    queryKey: ["members", "ws_1"] as const,
    queryFn: async () => (isFailing ? Promise.reject(error) : ["Mia"]),
    placeholderData: (before: string[] | undefined) => before,
  });
  members.subscribe(() => {});
  const isStill = () => expect.poll(() => client.isFetching()).toBe(0);
  await isStill();
  expect(members.getCurrentResult().data).toEqual(["Mia"]);
  isFailing = true;
  return { client, members, isStill, countWorkspaceReads: () => workspaceReads };
}

const listNames = (client: QueryClient) =>
  client
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => queryKey[0]);

test.each([403, 404])(
  "data is gone after a read was refused with %i, and workspaces are read again",
  async (status) => {
    const refusal = failWith(status);
    const { client, members, isStill, countWorkspaceReads } = await showMembers(refusal);
    await members.refetch();
    await isStill();
    const shown = members.getCurrentResult();
    expect(shown).toMatchObject({ data: undefined, error: refusal });
    expect(shown.dataUpdatedAt).toBeGreaterThan(0);
    expect(client.getQueryData(["members", "ws_1"])).toBeUndefined();
    expect(countWorkspaceReads()).toBe(2);
    // A refusal of what was never read, or is gone already, reads nothing else.
    await members.refetch();
    await isStill();
    expect(members.getCurrentResult()).toMatchObject({ data: undefined, error: refusal });
    expect(countWorkspaceReads()).toBe(2);
  },
);

test.each([
  ["a broken connection", new ConnectionError("GET /x", false, "it broke")],
  ["a service that restarts", failWith(503)],
])("data stays after %s", async (_, error) => {
  const { members, isStill, countWorkspaceReads } = await showMembers(error);
  await members.refetch();
  await isStill();
  expect(members.getCurrentResult()).toMatchObject({ data: ["Mia"], error });
  expect(countWorkspaceReads()).toBe(1);
});

test("a list that changes while it is read for the first time is read again", async () => {
  const client = createQueryClient();
  const before = Promise.withResolvers<string[]>();
  const answers = [before.promise, ["new"]];
  const query = { queryKey: ["api-keys"], queryFn: () => answers.shift() ?? [] };
  const keys = new QueryObserver(client, query);
  keys.subscribe(() => {});
  const waiting = client.ensureQueryData(query);
  await client.invalidateQueries({ queryKey: ["api-keys"] });
  before.resolve(["old"]);
  expect(await waiting).toEqual(["new"]);
  expect(keys.getCurrentResult().data).toEqual(["new"]);
});

test("a workspace that is closed leaves the cache, and what a page shows of it is read again", async () => {
  const { client, members, isStill, countWorkspaceReads } = await showMembers(failWith(403));
  client.setQueryData(["crons", "ws_1"], ["Nightly"]);
  dropClosed(client, new Set());
  await isStill();
  expect(members.getCurrentResult().data).toBeUndefined();
  expect(listNames(client)).toEqual(["workspaces", "members"]);
  // Once for the closed members. They were read when the workspace was found to be closed.
  expect(countWorkspaceReads()).toBe(2);
});

test("what is of an open workspace, of the person or of the service is neither dropped nor read again", async () => {
  const { client, members, isStill, countWorkspaceReads } = await showMembers(failWith(403));
  for (const key of [["models"], ["crons", "ws_1"], ["diff", "s_1", null]]) client.setQueryData(key, "open");
  for (const key of [["crons", "ws_2"], ["projects"], ["sessions", { status: "active" }], ["message-search", "ws_1"]])
    client.setQueryData(key, "closed");
  dropClosed(client, new Set(["ws_1", "s_1"]));
  await isStill();
  expect(members.getCurrentResult().data).toEqual(["Mia"]);
  expect(listNames(client)).toEqual(["workspaces", "members", "models", "crons", "diff"]);
  expect(countWorkspaceReads()).toBe(1);
});

test("without a connection, a change is refused; one that says that it waits is made later", async () => {
  onlineManager.setOnline(false);
  onTestFinished(() => onlineManager.setOnline(true));
  const client = createQueryClient();
  client.mount();
  onTestFinished(() => client.unmount());
  const error = new ConnectionError("POST /x", true, "it broke");
  const mutationFn = () => (onlineManager.isOnline() ? Promise.resolve("made") : Promise.reject(error));
  await expect(new MutationObserver(client, { mutationFn }).mutate()).rejects.toBe(error);
  const waiting = new MutationObserver(client, { mutationFn, networkMode: "online" });
  const made = waiting.mutate();
  await expect.poll(() => waiting.getCurrentResult().isPaused).toBe(true);
  onlineManager.setOnline(true);
  expect(await made).toBe("made");
});
