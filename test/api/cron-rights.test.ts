// Rights that a cron must not lend: an admin writes a member's cron, or an agent creates and fires
// crons. The results of the agents' calls on the running service show what the runs may do.
import { describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { type Client, clientWith, createClient } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const crons = `/api/organizations/${world.workspaceId}/crons`;
const workspace = `/api/organizations/${world.workspaceId}`;
const project = `/api/projects/${world.projectId}`;
const skill = { files: [{ path: "SKILL.md", content: "---\nname: lent\ndescription: Lent.\n---\nDo it." }] };
const draft = { name: "Rights", projectIds: [world.projectId], cronExpression: "0 3 * * *" };

type Asked = readonly [method: string, path: string, body?: object];

/** A prompt that makes the agent call the API. */
function createPrompt(calls: readonly Asked[]): string {
  const steps = calls.map(([method, path, body]) => ({ tool: { name: "api", input: { method, path, body } } }));
  return ["Look.", "```practice", ...steps.map((step) => JSON.stringify(step)), '{"say":"Done."}', "```"].join("\n");
}

/** Fires a cron, and returns the responses that its agent received, by call. */
async function readOutcomes(cronId: string, calls: readonly Asked[], by: Client) {
  const { runs } = (await by.post(`${crons}/${cronId}/run`, {})).body.data;
  const run = `${crons}/${cronId}/runs/${runs[0].runId}`;
  const owner = createClient(world);
  await until("the run is over", async () => (await owner.get(run)).body.data?.status === "succeeded");
  const { messages } = (await owner.get(`${run}/messages`)).body.data;
  const outputs: string[] = messages[1].blocks
    .filter(({ type }: { type: string }) => type === "tool")
    .map(({ output }: { output: string }) => output);
  return calls.map(([method, path], place) => {
    const [, status, body = ""] = outputs[place]?.match(/^HTTP (\d+)\n(.*)$/s) ?? [];
    return [`${method} ${path}`, Number(status), body] as const;
  });
}

const statuses = (outcomes: readonly (readonly [string, number, string])[]) =>
  Object.fromEntries(outcomes.map(([call, status]) => [call, status]));
const all = (calls: readonly Asked[], status: number) =>
  Object.fromEntries(calls.map(([method, path]) => [`${method} ${path}`, status]));

const changesOfAccount: readonly Asked[] = [
  ["POST", "/api/user/skills", skill],
  ["PATCH", "/api/user/plugins/some@where", { enabled: true }],
  ["POST", "/api/push/devices", { platform: "ios", token: "a".repeat(64) }],
  ["PATCH", "/api/user/subscriptions", { defaultModel: "anthropic:opus__low" }],
];
const reads: readonly Asked[] = [
  ["GET", "/api/user/profile"],
  ["GET", "/api/user/skills/nothing"],
];
const lists: readonly Asked[] = [
  ["GET", "/api/user/skills"],
  ["GET", "/api/user/plugins"],
];
const ofAdmins: readonly Asked[] = [
  ["GET", `${workspace}/credentials`],
  ["PATCH", workspace, {}],
];

describe("a member's cron that an admin wrote last", () => {
  const calls = [...changesOfAccount, ...reads, ...lists, ...ofAdmins, ["GET", `${project}/settings`]] as const;
  const member = createClient(world, "member");

  test("reads and changes nothing of the member's account, with the lesser role, until the member saves it", async () => {
    expect((await member.post("/api/user/skills", skill)).status).toBe(201);
    const own = createPrompt(calls);
    const { id } = (await member.post(crons, { ...draft, prompt: own })).body.data;
    const admin = createClient(world, "admin");
    expect((await admin.patch(`${crons}/${id}`, { prompt: own })).status).toBe(200);

    const lent = await readOutcomes(id, calls, admin);
    const expected = { ...all(changesOfAccount, 403), ...all(reads, 403), ...all(lists, 200), ...all(ofAdmins, 403) };
    expect(statuses(lent)).toEqual({ ...expected, [`GET ${project}/settings`]: 200 });
    const listed = lent.filter(([call]) => lists.some(([, path]) => call === `GET ${path}`));
    expect(listed.map(([, , body]) => JSON.parse(body).data)).toEqual([[], []]);

    // Neither a resume nor a change of name is a save, because neither shows that the member has
    // read the prompt.
    for (const change of [{ enabled: true }, { name: "Renamed" }])
      expect((await member.patch(`${crons}/${id}`, change)).status).toBe(200);
    expect(statuses(await readOutcomes(id, calls, member))).toMatchObject(all(reads, 403));

    expect((await member.patch(`${crons}/${id}`, { prompt: own })).status).toBe(200);
    const taken = await readOutcomes(id, calls, admin);
    expect(statuses(taken)).toMatchObject({
      ...all(changesOfAccount, 403),
      "GET /api/user/profile": 200,
      ...all(ofAdmins, 403),
    });
    expect(taken.find(([call]) => call === "GET /api/user/skills")?.[2]).toContain("lent");
  });
});

describe("a cron of an agent", () => {
  const refusedToAgents: readonly Asked[] = [
    ["PUT", `${project}/settings`, { setup: ["touch /tmp/lent"] }],
    ["PATCH", project, { name: "Lent" }],
    ["PATCH", workspace, { name: "Lent" }],
    ["POST", "/api/projects", { orgId: world.workspaceId, name: "Lent", repository: "demo/departures" }],
    ["POST", `${workspace}/skills`, skill],
    ["GET", `${workspace}/credentials`],
    ["PUT", `${workspace}/credentials/anthropic`, { apiKey: "sk-lent" }],
  ];
  const makesCron: Asked = ["POST", crons, { ...draft, name: "Made by a run", prompt: "Look." }];
  const runs: Asked = ["GET", crons];
  const calls = [...refusedToAgents, makesCron, runs];
  const agent = clientWith(world, world.agentTokens.ofOwner);
  const owner = createClient(world);

  test("has only the agent's permissions in its run and creates no crons, until a person saves it", async () => {
    expect((await agent.put(`${project}/settings`, { setup: ["touch /tmp/lent"] })).status).toBe(403);
    const prompt = createPrompt(calls);
    const { id } = (await agent.post(crons, { ...draft, prompt })).body.data;
    for (const by of [agent, owner]) {
      const lent = statuses(await readOutcomes(id, calls, by));
      expect(lent).toEqual({ ...all(refusedToAgents, 403), [`POST ${crons}`]: 403, [`GET ${crons}`]: 200 });
    }
    const taken: readonly Asked[] = [["PATCH", workspace, {}], makesCron, ["GET", `${workspace}/credentials`]];
    expect((await owner.patch(`${crons}/${id}`, { prompt: createPrompt(taken) })).status).toBe(200);
    const own = await readOutcomes(id, taken, owner);
    expect(statuses(own)).toEqual({
      [`PATCH ${workspace}`]: 200,
      [`POST ${crons}`]: 201,
      [`GET ${workspace}/credentials`]: 200,
    });

    // What the run has created has a run as its author.
    const made = JSON.parse(own[1]?.[2] ?? "").data.id;
    const further: readonly Asked[] = [
      makesCron,
      ["PATCH", workspace, {}],
      ["PATCH", `${crons}/${made}`, { prompt: "Look." }],
    ];
    expect((await agent.patch(`${crons}/${made}`, { prompt: createPrompt(further) })).status).toBe(200);
    expect(statuses(await readOutcomes(made, further, owner))).toMatchObject(
      all([makesCron, ["PATCH", workspace]], 403),
    );
  });

  test("that a person wrote has both rights where an agent fires it", async () => {
    const { id } = (await owner.post(crons, { ...draft, prompt: createPrompt(refusedToAgents.slice(0, 5)) })).body.data;
    const asked = refusedToAgents.slice(0, 5);
    expect(statuses(await readOutcomes(id, asked, agent))).toEqual(all(asked, 403));
  });
});
