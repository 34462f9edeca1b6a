// The routes of the files in a session's sandbox: the tree, and reading and writing one file.

import * as z from "zod";
import { getSandboxObject } from "../../../durable-objects/address.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ok } from "../../http/response.ts";
import { getTextHash } from "../../lib/hex.ts";
import { formatTime } from "../../lib/wire.ts";
import { fileWriteBodyBytes } from "../../rules/limits.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { formatAsleep } from "../../sandbox/rules/owner.ts";
import { fileHash, filePath, fileTreeEntrySchema, fileWriteSchema, writtenFileSchema } from "../wire/changes.ts";
import { checkNoTurnRuns } from "./git.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/preview";
const tag = "Files and commits";

const readContent = { description: "The file's content.", examples: ["export const rows = [];\n"] };

const listFiles = endpoint({
  method: "GET",
  path: `${path}/files`,
  operation: "listFiles",
  summary: "List the files of the running sandbox. Empty when it does not run; wakes nothing.",
  tag,
  access: "files.read",
  noun: "session",
  response: {
    status: 200,
    data: z.object({ files: z.array(fileTreeEntrySchema).describe("What is at the project's root.") }),
  },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({ env, found }) {
    const read = await getSandboxObject(env, found.session.sandboxKey).readCheckout({ type: "files" });
    return isRefusal(read) ? read : ok({ files: read.files?.files ?? [] });
  },
});

const readFile = endpoint({
  method: "GET",
  path: `${path}/files/content`,
  operation: "readFile",
  summary: "Read a file of the running sandbox.",
  tag,
  access: "files.read",
  noun: "session",
  query: z.strictObject({ path: filePath }),
  response: { status: 200, data: z.object({ content: z.string().meta(readContent), hash: fileHash }) },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, query }) {
    const { sandboxKey, status } = found.session;
    const content = await getSandboxObject(env, sandboxKey).readFile(query.path, formatAsleep(status));
    return isRefusal(content) ? content : ok({ content, hash: await getTextHash(content) });
  },
});

const writeFile = endpoint({
  method: "PUT",
  path: `${path}/files/content`,
  operation: "writeFile",
  summary: "Replace a file of the running sandbox; nothing is committed.",
  tag,
  access: "files.write",
  noun: "session",
  body: {
    schema: fileWriteSchema,
    maxBytes: fileWriteBodyBytes,
  },
  response: { status: 200, data: writtenFileSchema },
  refusals: ["BAD_REQUEST", "FILE_CHANGED", "JOB_ACTIVE", "SERVICE_UNAVAILABLE"],
  async handle({ env, found, body }) {
    const busy = await checkNoTurnRuns(env, found.session.id);
    if (busy) return busy;
    if (body.content.includes("\0")) return refuse("BAD_REQUEST", "Only text can be written; this content is binary.");
    const { sandboxKey, status } = found.session;
    const { path, content, baseHash } = body;
    const sandbox = getSandboxObject(env, sandboxKey);
    const refusal = await sandbox.writeFile({ path, content, baseHash }, formatAsleep(status));
    if (refusal === null) return ok({ path, updatedAt: formatTime(Date.now()), hash: await getTextHash(content) });
    if (refusal.code !== "FILE_CHANGED") return refusal;
    const now = await sandbox.readFile(path, formatAsleep(status));
    return isRefusal(now) ? refusal : refuse("FILE_CHANGED", refusal.message, { hash: await getTextHash(now) });
  },
});

export const fileRoutes = [listFiles, readFile, writeFile];
