// What a session has changed beyond its base: the files, their patch, and the commits. None of it wakes a sandbox.
import * as z from "zod";
import { sandboxObject } from "../../../durable-objects/address.ts";
import { ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { timestamp } from "../../resources/wire-values.ts";
import { filePathCharacters } from "../../rules/limits.ts";
import { comparisonBase } from "../../rules/pull-request/pull-request.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { asleepText } from "../../rules/sandbox/not-running.ts";
import { changeStatuses } from "../../sandbox/checkout-query.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/preview";
const tag = "Files and commits";

const changedFile = z.object({
  path: z.string(),
  previousPath: z.string().nullable().describe("Where a renamed file was."),
  status: z.enum(changeStatuses),
  additions: z.int().describe("Lines; 0 for a binary file."),
  deletions: z.int(),
  isBinary: z.boolean(),
  committed: z.boolean().describe("False while some of the difference is not committed."),
});

const commit = z.object({ sha: z.string(), message: z.string(), author: z.string(), committedAt: timestamp });

const listChangedFiles = endpoint({
  method: "GET",
  path: `${path}/changed-files`,
  summary: "List the files that differ from the base, committed or not. Empty when the sandbox does not run.",
  tag,
  access: "files.read",
  noun: "session",
  answers: { status: 200, data: z.object({ files: z.array(changedFile) }) },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, found: { session } }) {
    const question = { about: "changes", base: comparisonBase(session) } as const;
    const read = await sandboxObject(env, session.sandboxKey).readCheckout(question);
    return isRefusal(read) ? read : ok({ files: read.changes?.files ?? [] });
  },
});

const listCommits = endpoint({
  method: "GET",
  path: `${path}/commits`,
  summary: "List the commits beyond the base, newest first. Empty when the sandbox does not run.",
  tag,
  access: "files.read",
  noun: "session",
  answers: { status: 200, data: z.object({ commits: z.array(commit) }) },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, found: { session } }) {
    const question = { about: "log", base: comparisonBase(session) } as const;
    const read = await sandboxObject(env, session.sandboxKey).readCheckout(question);
    return isRefusal(read) ? read : ok({ commits: read.log?.commits ?? [] });
  },
});

const readDiff = endpoint({
  method: "GET",
  path: `${path}/diff`,
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
      .optional(),
  }),
  answers: {
    status: 200,
    data: z.object({
      patch: z.string(),
      isCut: z.boolean().describe("True when something was too long: files that are only named, or the rest of one."),
    }),
  },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, found: { session }, query }) {
    const question = { about: "patch", base: comparisonBase(session), path: query.path ?? null } as const;
    const read = await sandboxObject(env, session.sandboxKey).readCheckout(question);
    if (isRefusal(read)) return read;
    return read.patch ? ok({ ...read.patch }) : refuse("SERVICE_UNAVAILABLE", asleepText(session.status));
  },
});

export const changeRoutes = [listChangedFiles, listCommits, readDiff];
