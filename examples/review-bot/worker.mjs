// A Worker that reviews pull requests: a commit starts a session, and one comment has the result.
// GitHub calls /github, Switchyard calls /switchyard. The metadata of a session connects the two.
import { Switchyard } from "@switchyard/client";

export default {
  async fetch(request, env) {
    const isFrom = { "/github": isFromGitHub, "/switchyard": isFromSwitchyard }[new URL(request.url).pathname];
    const body = await request.text();
    if (!(await isFrom?.(request.headers, body, env).catch(() => false))) return new Response(null, { status: 401 });
    const { action, pull_request, type = "", data } = JSON.parse(body);
    const sy = new Switchyard({ baseUrl: env.SWITCHYARD_URL, apiKey: env.SWITCHYARD_API_KEY });
    // An error is answered with 500. Switchyard repeats the event then; at GitHub, you can.
    if (pull_request) await review(sy, env, action, pull_request);
    else if (type.startsWith("job.") && type !== "job.started") await report(sy, env, data);
    return new Response("OK");
  },
};

/** Reviews a commit, and ends earlier reviews. Repeats change nothing. A fork is a stranger's. */
async function review(sy, env, action, { number, draft, head, base }) {
  if (head.repo?.full_name !== base.repo.full_name) return;
  const pull = `${base.repo.full_name}#${number}`;
  const reviews = await Array.fromAsync(sy.sessions.list({ metadata: [`pull:${pull}`] }));
  const current = reviews.find(({ data }) => data.metadata.sha === head.sha);
  for (const one of reviews.filter((one) => one.data.status === "active" && (one !== current || action === "closed")))
    await one.stop().then(() => one.update({ status: "archived" }));
  if (draft || !["opened", "reopened", "synchronize", "ready_for_review"].includes(action)) return;
  const idempotencyKey = `${pull}@${head.sha}`;
  const metadata = { ...reviews[0]?.data.metadata, pull, sha: head.sha };
  const about = { title: `Review of ${pull}`, targetBranch: head.ref, spendLimitUsd: 2, metadata, idempotencyKey };
  const session = current ?? (await sy.sessions.create({ project: env.SWITCHYARD_PROJECT, ...about }));
  if (session.data.latestChatJob) return;
  await write(env, session, "The review is running.");
  const { TASK = "Review what this branch changes since BASE, for mistakes that reach users. Change no file." } = env;
  await session.send(TASK.replace("BASE", base.ref), { idempotencyKey });
}

/** Writes how a turn ended, unless a newer turn or commit is there: events come in any order. */
async function report(sy, env, { sessionId, jobId }) {
  const session = await sy.sessions.get(sessionId);
  const { metadata, status, latestChatJob } = session.data;
  if (!metadata.pull || status !== "active" || latestChatJob?.id !== jobId) return;
  const { outcome, text, error } = await session.getTurn(jobId).result({ timeoutMs: 10_000 });
  await write(env, session, outcome === "completed" ? text : `The review ended without a result: ${error ?? outcome}`);
}

async function write({ GITHUB_TOKEN, GITHUB_API_URL = "https://api.github.com" }, session, text) {
  const { pull, sha, comment = 0 } = session.data.metadata;
  const [repository, number] = pull.split("#");
  const headers = { authorization: `Bearer ${GITHUB_TOKEN}`, "user-agent": "review-bot" };
  const body = JSON.stringify({ body: `${text.slice(0, 60_000)}\n\n[Review](${session.data.sessionUrl}) of ${sha}` });
  const issues = `${GITHUB_API_URL}/repos/${repository}/issues`;
  const call = (method, path) => fetch(`${issues}/${path}`, { method, headers, body });
  let response = await call("PATCH", `comments/${comment}`);
  // This is the first one, or somebody has deleted it.
  if (response.status === 404) response = await call("POST", `${number}/comments`);
  if (!response.ok) throw new Error(`The comment on ${pull} was answered with ${response.status}.`);
  await session.update({ metadata: { comment: String((await response.json()).id) } });
}

const toBytes = (text) => new TextEncoder().encode(text);
async function verify(key, signatures, text) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const checks = signatures.map((one) => crypto.subtle.verify("HMAC", imported, one, toBytes(text)));
  return (await Promise.all(checks)).includes(true);
}

async function isFromGitHub(headers, body, env) {
  const hex = headers.get("x-hub-signature-256").replace("sha256=", "");
  return await verify(toBytes(env.GITHUB_WEBHOOK_SECRET), [Uint8Array.fromHex(hex)], body);
}

async function isFromSwitchyard(headers, body, env) {
  const [id, time, list] = ["id", "timestamp", "signature"].map((name) => headers.get(`webhook-${name}`));
  if (Math.abs(Date.now() / 1_000 - Number(time)) > 300) return false;
  // While a secret is replaced, there are two signatures.
  const signatures = list.split(" ").map((one) => Uint8Array.fromBase64(one.replace("v1,", "")));
  const key = Uint8Array.fromBase64(env.SWITCHYARD_WEBHOOK_SECRET.replace("whsec_", ""));
  return await verify(key, signatures, `${id}.${time}.${body}`);
}
