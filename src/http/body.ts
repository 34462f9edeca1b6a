// Request bodies: read up to a limit, as JSON or as multipart fields, and never trusted before a schema has seen them.
import { jsonBodyBytes } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";

/** Reads a JSON body. An empty one reads as undefined. */
export async function readJson(
  request: Request,
  maxBytes: number = jsonBodyBytes,
): Promise<{ json: unknown } | Refusal> {
  const text = await readText(request, maxBytes);
  if (typeof text !== "string") return text;
  if (text.trim() === "") return { json: undefined };
  try {
    return { json: JSON.parse(text) };
  } catch {
    return refuse("VALIDATION_ERROR", "The body is not JSON.", [{ path: "", message: "not JSON" }]);
  }
}

/** Reads a multipart body into an object of its fields: text stays text, files stay files. */
export async function readMultipart(
  request: Request,
  maxBytes: number,
): Promise<{ fields: Record<string, unknown> } | Refusal> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (!Number.isFinite(length)) return refuse("VALIDATION_ERROR", "A multipart body needs a Content-Length.");
  if (length > maxBytes) return refuse("PAYLOAD_TOO_LARGE");
  try {
    return { fields: Object.fromEntries(await request.formData()) };
  } catch {
    return refuse("VALIDATION_ERROR", "The body is not well-formed multipart/form-data.");
  }
}

/** A body this many times too large is not even read to its end. */
const drainedTimes = 4;

async function readText(request: Request, maxBytes: number): Promise<string | Refusal> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.length;
      // Read on without keeping it, for a client that is still sending when the answer comes may never see it.
      if (bytes > maxBytes * drainedTimes) break;
      if (bytes <= maxBytes) text += decoder.decode(chunk, { stream: true });
    }
    if (bytes > maxBytes) return refuse("PAYLOAD_TOO_LARGE");
    return text + decoder.decode();
  } catch {
    return refuse("VALIDATION_ERROR", "The body is not UTF-8 text.", [{ path: "", message: "not UTF-8" }]);
  }
}
