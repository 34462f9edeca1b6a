// Reads responses of the sandbox program within the limits of their call. A sandbox runs untrusted
// code, and the objects that call it share an isolate with other tenants.
import * as z from "zod";
import { bodyMemory, createGrowingBytes, memoryIsFull } from "../../lib/byte-budget.ts";
import { withAbort } from "../../lib/timeout.ts";
import type { ServiceStatus } from "../../preview/rules/preview.ts";
import { type ProgramRefusal, programRefusalCodes } from "../../sandbox-protocol/protocol.ts";

export type ProgramAnswer<Value> = { ok: true; value: Value } | { ok: false; refusal: ProgramRefusal };

/** The size limit and the timeout of a response. */
export interface AnswerBounds {
  mostBytes: number;
  signal: AbortSignal;
}

/** The response exceeds the size limit of its call. */
export class AnswerTooLong extends Error {
  constructor(mostBytes: number) {
    super(`The sandbox answered with more than ${Math.round(mostBytes / 1_024)} KB, which is not read.`);
  }
}

const refusalBytes = 64 * 1_024;
const messageCharacters = 8_000;

const refusalSchema = z.object({
  code: z.enum(programRefusalCodes),
  message: z.string().transform((message) => message.slice(0, messageCharacters)),
});

/** Reads a JSON response, or a refusal. */
export async function readProgramAnswer<Value>(answer: Response, bounds: AnswerBounds): Promise<ProgramAnswer<Value>> {
  if (!answer.ok) return { ok: false, refusal: await readRefusal(answer, bounds) };
  const text = await readText(answer, bounds);
  return { ok: true, value: (text === "" ? null : JSON.parse(text)) as Value };
}

/** Returns the bytes of a response, or a refusal. */
export async function readProgramResponse(
  answer: Response,
  bounds: AnswerBounds,
): Promise<ProgramAnswer<AsyncIterable<Uint8Array>>> {
  if (!answer.ok) return { ok: false, refusal: await readRefusal(answer, bounds) };
  return { ok: true, value: boundedBytes(answer, bounds) };
}

async function readRefusal(answer: Response, { signal }: AnswerBounds): Promise<ProgramRefusal> {
  const read = refusalSchema.safeParse(JSON.parse(await readText(answer, { mostBytes: refusalBytes, signal })));
  return read.success
    ? read.data
    : { code: "INTERNAL", message: "The sandbox refused, but its response could not be understood." };
}

async function readText(answer: Response, bounds: AnswerBounds): Promise<string> {
  const held = createGrowingBytes(bounds.mostBytes, bodyMemory);
  try {
    for await (const chunk of boundedBytes(answer, bounds)) {
      if (!held.add(chunk)) throw new Error(memoryIsFull.message);
    }
    return new TextDecoder().decode(held.bytes());
  } finally {
    held.drop();
  }
}

/** Yields the bytes of a response. Throws at its size limit or timeout, and cancels the rest. */
async function* boundedBytes(
  { body }: Response,
  { mostBytes, signal }: AnswerBounds,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let byteCount = 0;
  try {
    for (;;) {
      const { value, done } = await withAbort(reader.read(), signal);
      if (done) return;
      byteCount += value.length;
      if (byteCount > mostBytes) throw new AnswerTooLong(mostBytes);
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

const logEndCharacters = 8_192;
const howCharacters = 300;
const count = z.number().min(0);

const runSchema = z.object({
  ageMs: count.nullable(),
  isDone: z.boolean(),
  restarts: count,
  lastExit: z
    .object({ code: z.int().nullable(), how: z.string().transform((how) => how.slice(0, howCharacters)) })
    .nullable(),
  logEnd: z.string().transform((log) => log.slice(-logEndCharacters)),
});

const statusesSchema: z.ZodType<ServiceStatus[]> = z.array(
  z.object({
    name: z.string(),
    answers: z.boolean().nullable(),
    answeringPorts: z.array(z.number()),
    run: runSchema.nullable(),
  }),
);

/**
 * The status of services as a sandbox program reports it. A sandbox runs untrusted code, so only
 * well-formed data is accepted. Returns null if they are malformed.
 */
export function readServiceStatuses(told: unknown): ServiceStatus[] | null {
  const read = statusesSchema.safeParse(told);
  return read.success ? read.data : null;
}
