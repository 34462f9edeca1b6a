// A secret of the project that the agent encounters, whole and in pieces: nothing that the service
// stores or shows of a turn contains it.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { openStream, type Stream } from "../support/event-stream.ts";

const world = apiWorld();
const projectId = world.siblingProjectId;
const owner = createClient({ ...world, projectId });
const canary = "canary-4f1d9c7be2-secret";
const [first, second] = [canary.slice(0, 9), canary.slice(9)];
let session: string;
let jobId: string;
let stream: Stream;
const settings = `/api/projects/${projectId}/settings`;

beforeAll(async () => {
  await owner.put(settings, { setup: [], services: [], env: { CANARY: canary } });
  const created = await owner.createSession({ title: "Canary" });
  session = created.path;
  stream = await openStream(world.baseUrl, `${session}/events`, {
    authorization: `Bearer ${world.users.owner.apiKey}`,
  });
  const sent = await owner.send(
    session,
    script(
      { bash: "echo $CANARY; env" },
      { bash: `printf %s ${first}; sleep 0.3; printf '%s\\n' ${second}` },
      { bash: 'for i in $(seq 1 24); do printf %s "$(printf %s "$CANARY" | cut -c$i)"; sleep 0.02; done' },
      { bash: "yes $CANARY | head -c 300000" },
      { bash: "git remote add leak http://x:$CANARY@127.0.0.1:9/x.git; git push leak HEAD; echo $CANARY >&2; false" },
      { artifact: { slug: "leak", title: "About the secret", kind: "markdown", content: "It is $CANARY." } },
      { bash: "printf '# %s' $CANARY > leak.md" },
      { plan: ["Look at the secret"] },
      { say: `The environment was printed by ${"word ".repeat(50)}` },
    ),
  );
  jobId = sent.body.data.chatJobId;
  expect((await owner.jobUntil(session, jobId)).status).toBe("completed");
});
afterAll(async () => {
  stream?.leave();
  await owner.put(settings, { setup: [], services: [], env: {} });
});

test("the secret was used: it is in the agent's environment, and shown redacted", async () => {
  const blocks = await owner.listBlocks(session, jobId);
  for (const index of [0, 1, 2, 3, 4]) expect(String(blocks[index]?.output)).toContain("[redacted]");
});

test("the conversation does not contain it", async () => {
  const conversation = JSON.stringify(await owner.messages(session));
  // The script is the user's own message, and contains the two halves separately.
  expect(conversation).not.toContain(canary);
});

test("the live events do not contain it, not even concatenated", async () => {
  await stream.received("job");
  const told = stream.events.map(({ data }) => data).join("");
  expect(told.length).toBeGreaterThan(1_000);
  expect(told).not.toContain(canary);
});

test("the job, the artifacts and the stored outputs do not contain it", async () => {
  const job = await owner.get(`${session}/jobs/chat/${jobId}`);
  const artifacts = await owner.get(`${session}/artifacts`);
  expect(JSON.stringify([job.body, artifacts.body])).not.toContain(canary);
  const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
  const whole = await fetch(`${world.baseUrl}${session}/jobs/chat/${jobId}/outputs/3`, { headers });
  const output = await whole.text();
  expect([whole.status, output.length]).toEqual([200, expect.any(Number)]);
  expect(output).toContain("[redacted]\n[redacted]");
  expect(output).not.toContain(canary);
});

/** The folders of the service's storage that have a file with this text. */
async function findFoldersWith(text: string): Promise<string[]> {
  const root = `${world.stateDir}/cloudflare`;
  const search = promisify(execFile)("grep", ["-raFl", "--", text, root]);
  // grep exits with 1 if it finds nothing, and with 2 if files are deleted while it runs.
  const { stdout } = await search.catch(({ stdout }: { stdout: string }) => ({ stdout }));
  const files = stdout.split("\n").filter((file) => file !== "");
  return [...new Set(files.map((file) => file.slice(root.length + 1).split("/")[0] ?? ""))];
}

test("neither an object nor the database nor the storage of files has it", async () => {
  // These show that the search reads all three.
  const folders = await Promise.all(["About the secret", "[redacted]"].map(findFoldersWith));
  expect(folders.flat()).toEqual(expect.arrayContaining(["d1", "do", "r2"]));
  expect(await findFoldersWith(canary)).toEqual([]);
});
