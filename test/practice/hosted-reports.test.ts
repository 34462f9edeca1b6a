// How the service gets the pull requests of the real code host, which another practice code host
// replaces here.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startPullRequestReports } from "../../practice/code-host/hosted-reports.ts";
import { startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { git } from "../support/git.ts";
import { until } from "../support/until.ts";

test("each change of a pull request is reported once, as its webhook would", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosted-reports-"));
  const host = await startPracticeCodeHost({ folder, token: "ghp_own" });
  await host.createRepository("acme/letters", { "README.md": "# Letters\n" });
  const bare = ["--git-dir", host.getFolder("acme/letters")];
  await git(folder, [...bare, "branch", "topic", "main"]);
  const call = (method: string, path: string, body: object) =>
    fetch(`${host.url}/repos/acme/letters/pulls${path}`, {
      method,
      headers: { authorization: "Bearer ghp_own" },
      body: JSON.stringify(body),
    });
  const heard: { event: string; payload: object }[] = [];
  const read = await fetch(`${host.url}/repos/acme/letters`, { headers: { authorization: "Bearer ghp_own" } });
  const { id } = (await read.json()) as { id: number };
  const hosted = { name: "acme/letters", id, apiUrl: host.url, gitUrl: host.url, token: "ghp_own" };
  const stop = startPullRequestReports(hosted, { send: (event, payload) => void heard.push({ event, payload }) }, 20);

  expect((await call("POST", "", { title: "A letter", head: "topic", base: "main" })).status).toBe(201);
  await until("the pull request to be told", () => heard.length === 1);
  expect(heard[0]).toMatchObject({
    event: "pull_request",
    payload: {
      repository: { id, full_name: "acme/letters" },
      pull_request: { number: 1, state: "open", merged: false, head: { ref: "topic", repo: { id } } },
    },
  });
  expect((await call("PUT", "/1/merge", {})).status).toBe(200);
  const isMerged = () => heard.some(({ payload }) => JSON.stringify(payload).includes('"merged":true'));
  await until("the merge to be told", isMerged);
  const told = heard.length;
  expect(told).toBe(2);
  stop();
  await host.close();
  await rm(folder, { recursive: true });
});
