// Files and git of a session's sandbox: one file in and out, the git state, commit and push.
import * as z from "zod";
import { sandboxObject, sessionObject } from "../../../durable-objects/address.ts";
import { ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { time, timestamp, uuid } from "../../resources/common.ts";
import {
  commitMessageCharactersMax,
  commitMessageCharactersMin,
  fileContentCharacters,
  filePathCharacters,
  fileWriteBodyBytes,
} from "../../rules/limits.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { ownerFound } from "../../actions/sandbox-owner.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/preview";
const tag = "Files and commits";

const readFile = endpoint({
  method: "GET",
  path: `${path}/files/content`,
  summary: "Read a file of the running sandbox.",
  tag,
  access: "files.read",
  noun: "session",
  query: z.object({ path: z.string("is required").min(1).max(filePathCharacters) }),
  answers: { status: 200, data: z.object({ content: z.string() }) },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, query }) {
    const content = await sandboxObject(env, found.session.sandboxKey).readFile(query.path);
    return isRefusal(content) ? content : ok({ content });
  },
});

const writeFile = endpoint({
  method: "PUT",
  path: `${path}/files/content`,
  summary: "Replace a file of the running sandbox; nothing is committed.",
  tag,
  access: "files.write",
  noun: "session",
  body: {
    schema: z.object({
      path: z.string().min(1).max(filePathCharacters),
      content: z.string().max(fileContentCharacters),
      clientId: uuid,
    }),
    maxBytes: fileWriteBodyBytes,
  },
  answers: { status: 200, data: z.object({ path: z.string(), updatedAt: timestamp }) },
  refusals: ["BAD_REQUEST", "JOB_ACTIVE", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, body }) {
    const busy = await sessionObject(env, found.session.id).refuseWhileTurnRuns();
    if (busy) return busy;
    if (body.content.includes("\0")) return refuse("BAD_REQUEST", "Only text can be written; this content is binary.");
    const refusal = await sandboxObject(env, found.session.sandboxKey).writeFile(body.path, body.content);
    return refusal ?? ok({ path: body.path, updatedAt: time(Date.now()) });
  },
});

const readGitState = endpoint({
  method: "GET",
  path: `${path}/git-state`,
  summary: "Tell what is not committed, not pushed, and ahead of the base. Never wakes a sandbox.",
  tag,
  access: "files.read",
  noun: "session",
  answers: {
    status: 200,
    data: z.object({
      available: z.boolean(),
      hasUncommittedChanges: z.boolean(),
      hasUnpushedCommits: z.boolean(),
      hasCommitsAheadOfBase: z.boolean(),
    }),
  },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, found }) {
    const state = await sandboxObject(env, found.session.sandboxKey).gitState(found.session.targetBranch);
    if (isRefusal(state)) return state;
    const unknown = { hasUncommittedChanges: false, hasUnpushedCommits: false, hasCommitsAheadOfBase: false };
    return ok(state ? { available: true, ...state } : { available: false, ...unknown });
  },
});

const commit = endpoint({
  method: "POST",
  path: `${path}/git/commit`,
  summary: "Stage and commit every change. Wakes a paused sandbox.",
  tag,
  access: "git.commit",
  noun: "session",
  body: { schema: z.object({ message: z.string().min(commitMessageCharactersMin).max(commitMessageCharactersMax) }) },
  answers: { status: 200, data: z.object({ sha: z.string() }) },
  refusals: ["BAD_REQUEST", "JOB_ACTIVE", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, body }) {
    const busy = await sessionObject(env, found.session.id).refuseWhileTurnRuns();
    if (busy) return busy;
    const owner = ownerFound(found);
    if (isRefusal(owner)) return owner;
    const committed = await sandboxObject(env, found.session.sandboxKey).commit(owner, body.message, appIdentity);
    return isRefusal(committed) ? committed : ok({ sha: committed.sha });
  },
});

const push = endpoint({
  method: "POST",
  path: `${path}/git/push`,
  summary: "Push the session's branch. Wakes a paused sandbox.",
  tag,
  access: "git.push",
  noun: "session",
  answers: { status: 200, data: z.object({ ok: z.literal(true) }) },
  refusals: ["BAD_REQUEST", "JOB_ACTIVE", "SERVICE_UNAVAILABLE"],
  async handle({ env, found }) {
    const busy = await sessionObject(env, found.session.id).refuseWhileTurnRuns();
    if (busy) return busy;
    const owner = ownerFound(found);
    if (isRefusal(owner)) return owner;
    const refusal = await sandboxObject(env, found.session.sandboxKey).push(owner);
    return refusal ?? ok({ ok: true });
  },
});

/** Who commits for a member who has no connection to the code host (Part 1, "Files and commits"). */
const appIdentity = { name: "Switchyard", email: "app@switchyard.invalid" };

export const fileRoutes = [readFile, writeFile, readGitState, commit, push];
