// The routes of a session's changes relative to its base: files, patch and commits. Reading them
// wakes no sandbox.
import * as z from "zod";
import { getSandboxObject } from "../../../durable-objects/address.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag } from "../../http/query.ts";
import { ok } from "../../http/response.ts";
import { formatTimeOrNull } from "../../lib/wire.ts";
import { filePathCharacters } from "../../rules/limits.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { formatAsleep } from "../../sandbox/rules/owner.ts";
import { getComparisonBase } from "../../session/rules/pull-request/pull-request.ts";
import { changedFileSchema, commitSchema, diffSchema, keptFields } from "../wire/changes.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/preview";
const tag = "Files and commits";

const kept = flag().describe("With `true`, the last saved work while the sandbox does not run.");

/** Whether a response comes from the running sandbox, and the time of its data. */
function truth(read: unknown, keptAt: number | undefined, now: number) {
  const isLive = read !== undefined && keptAt === undefined;
  return { available: isLive, asOf: formatTimeOrNull(isLive ? now : (keptAt ?? null)) };
}

const listChangedFiles = endpoint({
  method: "GET",
  path: `${path}/changed-files`,
  operation: "listChangedFiles",
  summary: "List the files that differ from the base. Empty when the sandbox does not run, unless `kept` is `true`.",
  tag,
  access: "files.read",
  noun: "session",
  query: z.strictObject({ kept }),
  response: {
    status: 200,
    data: z.object({ files: z.array(changedFileSchema).describe("The files by their paths."), ...keptFields }),
  },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, found: { session }, query }) {
    const checkoutQuery = { type: "changes", base: getComparisonBase(session), kept: query.kept } as const;
    const read = await getSandboxObject(env, session.sandboxKey).readCheckout(checkoutQuery);
    if (isRefusal(read)) return read;
    return ok({ files: read.changes?.files ?? [], ...(query.kept && truth(read.changes, read.asOf, now)) });
  },
});

const listCommits = endpoint({
  method: "GET",
  path: `${path}/commits`,
  operation: "listCommits",
  summary:
    "List the newest 1,000 commits beyond the base, newest first. Empty when the sandbox does not run, unless `kept` is `true`.",
  tag,
  access: "files.read",
  noun: "session",
  query: z.strictObject({ kept }),
  response: {
    status: 200,
    data: z.object({ commits: z.array(commitSchema).describe("The commits, newest first."), ...keptFields }),
  },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, found: { session }, query }) {
    const checkoutQuery = { type: "log", base: getComparisonBase(session), kept: query.kept } as const;
    const read = await getSandboxObject(env, session.sandboxKey).readCheckout(checkoutQuery);
    if (isRefusal(read)) return read;
    return ok({ commits: read.log?.commits ?? [], ...(query.kept && truth(read.log, read.asOf, now)) });
  },
});

const readDiff = endpoint({
  method: "GET",
  path: `${path}/diff`,
  operation: "readDiff",
  summary: "Read the patch to the base: all of it, or of one file or folder.",
  tag,
  access: "files.read",
  noun: "session",
  query: z.strictObject({
    path: z
      .string()
      .min(1)
      .max(filePathCharacters)
      .refine((name) => !name.includes("\0"), "holds a NUL")
      .optional()
      .describe("A file or a folder; all by default."),
    kept,
  }),
  response: { status: 200, data: diffSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, found: { session }, query }) {
    const base = getComparisonBase(session);
    const checkoutQuery = { type: "patch", base, path: query.path ?? null, kept: query.kept } as const;
    const read = await getSandboxObject(env, session.sandboxKey).readCheckout(checkoutQuery);
    if (isRefusal(read)) return read;
    if (!read.patch) return refuse("SERVICE_UNAVAILABLE", formatAsleep(session.status));
    return ok({ ...read.patch, ...(query.kept && truth(read.patch, read.asOf, now)) });
  },
});

export const changeRoutes = [listChangedFiles, listCommits, readDiff];
