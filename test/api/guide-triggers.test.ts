// The examples of the guide to issues and pull requests, on the practice code host.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { connectMember, disconnectMember } from "../support/connected-account.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const cleo = createCollaborator(world);
const { sql } = createInside(world);
const path = `/api/projects/${world.projectId}/triggers`;
const member = "mia-member";

const guide = readFileSync(join(import.meta.dirname, "../../docs/guide/issues-and-pull-requests.md"), "utf8");
const examples: { name: string; when?: { assignees?: string[] } }[] = [
  ...guide.matchAll(/^```\n(\{.+\})\n```$/gm),
].flatMap(([, example]) => JSON.parse(`[${example}]`));

const listRuns = async (triggerId: string): Promise<{ outcome: string | null; sessionId: string }[]> =>
  (await owner.get(`/api/projects/${world.projectId}/trigger-runs?triggerId=${triggerId}`)).body.data;
const run = (triggerId: string, count = 1) =>
  until(`run ${count}`, async () => {
    const listed = await listRuns(triggerId);
    return listed.length === count && listed.every(({ outcome }) => outcome !== null) && listed[0];
  });

test("each trigger of the guide runs for what a member does", async () => {
  expect(examples.map(({ name }) => name)).toEqual(["Ideas", "Issues", "Assigned", "Review"]);
  const { version } = (await owner.get(path)).body.data;
  // The guide's own account is one of GitHub, so another takes its place.
  const triggers = examples.map(({ when, ...rest }) =>
    when?.assignees ? { ...rest, when: { assignees: ["practice[bot]"] } } : { ...rest, ...(when && { when }) },
  );
  const put = await owner.put(path, { version, triggers });
  expect(put.status).toBe(200);
  const [ideas, issues, assigned, review] = put.body.data.triggers.map(({ id }: { id: string }) => id);
  await connectMember(sql);
  const open = async (title: string) => (await cleo.call("POST", "/issues", { title, user: "sam-stranger" })).number;
  const label = (number: number, name: string) =>
    cleo.call("POST", `/issues/${number}/labels`, { user: member, labels: [name] });

  await label(await open("An idea"), "switchyard");
  expect(await run(ideas)).toMatchObject({ outcome: "filed" });
  await label(await open("A task"), "switchyard:go");
  expect(await run(issues)).toMatchObject({ outcome: "started" });
  await cleo.call("POST", `/issues/${await open("For you")}/assignees`, { user: member, assignees: ["practice[bot]"] });
  expect(await run(assigned)).toMatchObject({ outcome: "started" });

  await cleo.commit("feature/guide", { "src/guide.ts": "export {};\n" }, "main");
  await cleo.commit("feature/guide-docs", { "docs/guide.md": "# Guide\n" }, "main");
  const propose = async (head: string) =>
    (await cleo.call("POST", "/pulls", { title: head, head, base: "main", user: member })).number;
  const other = await propose("feature/guide-docs");
  const number = await propose("feature/guide");
  const started = await run(review);
  expect(started).toMatchObject({ outcome: "started" });
  const { session } = (await owner.get(`/api/chat-sessions/${started.sessionId}`)).body.data;
  expect(session).toMatchObject({ targetBranch: "feature/guide", title: `Review: #${number}` });

  await label(other, "switchyard:go");
  expect(await run(issues, 2)).toMatchObject({ outcome: "started" });
  expect(await listRuns(review)).toHaveLength(1);

  await owner.put(path, { version: version + 1, triggers: [] });
  for (const each of [number, other]) await cleo.call("PATCH", `/pulls/${each}`, { state: "closed" });
  await disconnectMember(sql);
});
