// The changes of a session relative to its base: files, patch and commits. Reading them wakes no sandbox.
import * as z from "zod";
import { sandboxObject } from "../../../durable-objects/address.ts";
import { ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { changedFileSchema, commitSchema, diffSchema } from "../../resources/change.ts";
import { filePathCharacters } from "../../rules/limits.ts";
import { comparisonBase } from "../../rules/pull-request/pull-request.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { asleepText } from "../../rules/sandbox/not-running.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/preview";
const tag = "Files and commits";

const listChangedFiles = endpoint({
  method: "GET",
  path: `${path}/changed-files`,
  operation: "listChangedFiles",
  summary: "List the files that differ from the base, committed or not. Empty when the sandbox does not run.",
  tag,
  access: "files.read",
  noun: "session",
  answers: { status: 200, data: z.object({ files: z.array(changedFileSchema).describe("The files by their paths.") }) },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, found: { session } }) {
    const checkoutQuery = { type: "changes", base: comparisonBase(session) } as const;
    const read = await sandboxObject(env, session.sandboxKey).readCheckout(checkoutQuery);
    return isRefusal(read) ? read : ok({ files: read.changes?.files ?? [] });
  },
});

const listCommits = endpoint({
  method: "GET",
  path: `${path}/commits`,
  operation: "listCommits",
  summary: "List the commits beyond the base, newest first. Empty when the sandbox does not run.",
  tag,
  access: "files.read",
  noun: "session",
  answers: { status: 200, data: z.object({ commits: z.array(commitSchema).describe("The commits, newest first.") }) },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, found: { session } }) {
    const checkoutQuery = { type: "log", base: comparisonBase(session) } as const;
    const read = await sandboxObject(env, session.sandboxKey).readCheckout(checkoutQuery);
    return isRefusal(read) ? read : ok({ commits: read.log?.commits ?? [] });
  },
});

const readDiff = endpoint({
  method: "GET",
  path: `${path}/diff`,
  operation: "readDiff",
  summary: "Read the patch of what differs from the base: all of it, or one file or folder.",
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
      .describe("The path of one file or folder; left out, all of it."),
  }),
  answers: {
    status: 200,
    data: diffSchema,
  },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, found: { session }, query }) {
    const checkoutQuery = { type: "patch", base: comparisonBase(session), path: query.path ?? null } as const;
    const read = await sandboxObject(env, session.sandboxKey).readCheckout(checkoutQuery);
    if (isRefusal(read)) return read;
    return read.patch ? ok({ ...read.patch }) : refuse("SERVICE_UNAVAILABLE", asleepText(session.status));
  },
});

export const changeRoutes = [listChangedFiles, listCommits, readDiff];
