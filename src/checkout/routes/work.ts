// The routes of a session's work as a git bundle, for a clone elsewhere that takes it and sends its
// own.
import * as z from "zod";
import { getSandboxObject } from "../../../durable-objects/address.ts";
import { endpoint } from "../../http/endpoint.ts";
import { repeatable } from "../../http/query.ts";
import { download, ok } from "../../http/response.ts";
import { workBundleBytes, workHavesMax } from "../../rules/limits.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { formatAsleep } from "../../sandbox/rules/owner.ts";
import { workStateSchema } from "../wire/changes.ts";
import { checkNoTurnRuns } from "./git.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/preview/work";
const tag = "Files and commits";
const bundleType = "application/x-git-bundle";

const commitId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, "must be the id of a commit");
const bundleBytes = z
  .string()
  .meta({ description: "A git bundle with `refs/switchyard/work`.", format: "binary", examples: ["# v2 git bundle"] });
const bundle = z
  .custom<ReadableStream<Uint8Array>>((body) => body instanceof ReadableStream)
  .describe("A git bundle with `refs/switchyard/work`.");

const readWork = endpoint({
  method: "GET",
  path,
  operation: "readWork",
  summary:
    "Read the work of the running sandbox as a git bundle. `refs/switchyard/work` is a commit of all files that are not ignored; its parents are HEAD and a commit of the index. `ETag` has its id. Unchanged work has the same id.",
  tag,
  access: "files.read",
  noun: "session",
  query: z.strictObject({
    have: repeatable(commitId)
      .refine((ids) => ids.length <= workHavesMax, `takes at most ${workHavesMax} commits`)
      .default([])
      .describe("Commits that you have, which the bundle leaves out."),
    known: commitId.optional().describe("The id of the work that you have."),
  }),
  response: { status: 200, mediaType: bundleType, isTagged: true, data: bundleBytes },
  emptyResponse: "The work has not changed since your read.",
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, query: { have, known = null } }) {
    const { sandboxKey, status } = found.session;
    const read = await getSandboxObject(env, sandboxKey).readWork({ have, known }, formatAsleep(status));
    if (isRefusal(read)) return read;
    const etag = `"${read.work}"`;
    if (read.bundle === null) return { status: 204, headers: { etag } };
    return download(read.bundle, new Headers({ "content-type": bundleType, etag }));
  },
});

const writeWork = endpoint({
  method: "PUT",
  path,
  operation: "writeWork",
  summary:
    "Replace the work of the running sandbox by a git bundle of readWork. Its branch must contain the session's commits. Ignored files stay. Refused with CONFLICT, and nothing is changed, if the session's work is not the expected one.",
  tag,
  access: "git.commit",
  noun: "session",
  query: z.strictObject({
    expected: commitId.describe("The `ETag` of readWork that you have seen."),
  }),
  body: {
    schema: bundle,
    mediaTypes: [bundleType, "application/octet-stream"],
    maxBytes: workBundleBytes,
    isStreamed: true,
  },
  response: { status: 200, data: workStateSchema },
  refusals: ["BAD_REQUEST", "CONFLICT", "JOB_ACTIVE", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, query: { expected }, body }) {
    const busy = await checkNoTurnRuns(env, found.session.id);
    if (busy) return busy;
    const { sandboxKey, status } = found.session;
    const written = await getSandboxObject(env, sandboxKey).writeWork(expected, body, formatAsleep(status));
    if (isRefusal(written)) return written;
    const { head, work } = written;
    return ok({ head, work });
  },
});

export const workRoutes = [readWork, writeWork];
