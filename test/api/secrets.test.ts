// No credential is ever inside a sandbox: a running turn's sandbox is searched from inside and from
// outside.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPracticeKey } from "../../practice/real-providers.ts";
import { previewWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { listProcesses, readCommand } from "../support/process-tree.ts";
import { until } from "../support/until.ts";
import { readSecrets } from "../support/world-secrets.ts";

const world = previewWorld();
const owner = createClient(world);
const {
  signingKey,
  sealingKeys,
  codeHostToken,
  codeHostAppKey,
  codeHostClientSecret,
  codeHostWebhookSecret,
  s3,
  apiKeys,
} = readSecrets(world);
/** What must be nowhere in a sandbox. The keys of workspaces at a provider have a common prefix. */
const forbidden: Record<string, string> = {
  "a provider key of the workspace": createPracticeKey("anthropic", ""),
  "the code host's token": codeHostToken,
  "the secret by which people sign in there": codeHostClientSecret,
  "the key of the code host's app": codeHostAppKey.split("\n")[1] ?? "",
  "a token of the code host's app": "ghs_practice_",
  "the secret of its webhooks": codeHostWebhookSecret,
  "the signing key": signingKey,
  "the sealing key": sealingKeys.split(":")[1] ?? "",
  "the key of storage": s3.secretAccessKey,
  "a member's API key": apiKeys.owner,
};

let session: string;
let chatJobId: string;
let sandbox: string;
let environment: string;
let gitConfig: string;

beforeAll(async () => {
  const created = await owner.createSession({
    title: "Secrets",
    content: script(
      { write: { path: "marker.txt", content: "a marker that can be found" } },
      // In base64, because tokens are redacted in a turn's events.
      { bash: "env | base64 -w0" },
      { bash: "git config --list --show-origin | base64 -w0" },
      { bash: "env" },
      { bash: "sleep 60" },
      { say: "never" },
    ),
  });
  session = created.path;
  chatJobId = created.jobId ?? "";
  const preview = await owner.get(`/api/projects/${world.projectId}/preview?sessionId=${created.id}`);
  sandbox = `${world.stateDir}/sandboxes/${preview.body.data.sandboxKey}`;
  await until("the last command to run", () =>
    listProcesses(sandbox).some((one) => readCommand(one).startsWith("sleep")),
  );
  const blocks = await owner.listBlocks(session, chatJobId);
  [environment = "", gitConfig = ""] = blocks.slice(1, 3).map(({ output }) => atob(String(output)));
});

afterAll(() => owner.post(`${session}/jobs/chat/${chatJobId}/cancel`));

/** What the kernel shows of each process of the sandbox: its environment and its command line. */
function processTexts(): string[] {
  return listProcesses(sandbox).map(({ id }) =>
    ["environ", "cmdline"].map((file) => readFileSync(`/proc/${id}/${file}`, "latin1")).join("\n"),
  );
}

/** The files under a folder that contain a text. */
async function filesWith(folder: string, wanted: string): Promise<string[]> {
  const search = promisify(execFile)("grep", ["-raFl", "--", wanted, folder]);
  // grep exits with 1 if it finds nothing, and with 2 if files are deleted while it runs.
  const { stdout } = await search.catch(({ stdout }: { stdout: string }) => ({ stdout }));
  return stdout.split("\n").filter((line) => line !== "");
}

test("the search finds an existing value", async () => {
  expect(environment).toMatch(/^HOME=/m);
  expect(gitConfig).toMatch(/remote\.origin\.url=/);
  expect(processTexts().length).toBeGreaterThanOrEqual(3);
  expect(processTexts().some((text) => text.includes("HOME="))).toBe(true);
  expect(await filesWith(sandbox, "a marker that can be found")).toContain(`${sandbox}/project/marker.txt`);
});

describe.each(Object.entries(forbidden))("%s", (_, secret) => {
  test("is not in the environment of the agent's shell, nor in what git is configured with", () => {
    expect(secret.length).toBeGreaterThan(10);
    expect(environment).not.toContain(secret);
    expect(gitConfig).not.toContain(secret);
  });

  test("is not in the environment or the command line of any process of the sandbox", () => {
    expect(processTexts().filter((text) => text.includes(secret))).toEqual([]);
  });

  test("is in no file of the sandbox", async () => {
    expect(await filesWith(sandbox, secret)).toEqual([]);
  });

  test("is not in the conversation", async () => {
    expect(JSON.stringify(await owner.messages(session))).not.toContain(secret);
  });

  test("is not readable in the Worker's storage", async () => {
    expect(await filesWith(`${world.stateDir}/cloudflare`, secret)).toEqual([]);
  });
});

test("the turn's token is in no file of the checkout, and is redacted in the turn's output", async () => {
  const token = /Bearer (\S+)/.exec(environment)?.[1] ?? "";
  expect(token.length).toBeGreaterThan(100);
  expect(await filesWith(`${sandbox}/project`, token)).toEqual([]);
  expect(await filesWith(`${sandbox}/home`, token)).toEqual([]);
  const plain = (await owner.listBlocks(session, chatJobId))[3];
  expect(plain?.output).toContain("Authorization: Bearer [redacted]");
  expect(JSON.stringify(plain)).not.toContain(token);
});

test("the agent's shell has none of the service's environment variables", () => {
  const known = environment.split("\n").map((line) => line.split("=")[0] ?? "");
  const allowed =
    /^(PATH|LANG|TERM|PAGER|HOME|TMPDIR|PWD|SHLVL|_|GIT_\w+|SWITCHYARD_(TURN|API_URL|API_TOKEN|PROJECT_ID|SERVICE_LOGS)|)$/;
  expect(known.filter((name) => !allowed.test(name))).toEqual([]);
});
