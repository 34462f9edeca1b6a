// The api tool: calls the service with the turn's key. The key stays in the program: the agent
// neither sends nor sees it.
import { readingAnswerBytes } from "../../../../src/rules/limits.ts";
import type { Redaction } from "../../../../src/rules/redaction.ts";
import type { TurnStart } from "../../../../src/sandbox-protocol/protocol.ts";
import { fetchFromService } from "../../../http/service-fetch.ts";
import { toFields } from "../../../http/unknown-fields.ts";
import type { AgentTool } from "../../agent.ts";
import { bytesBeyondCut, toToolAnswer } from "./answer-text.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
/** A stream of events does not end by itself. After this time, what has arrived is returned. */
const longestCallMs = 30_000;

/** Calls the service's API on behalf of the turn. */
export function createApiTool({ api, redaction }: { api: TurnStart["api"]; redaction: Redaction }): AgentTool {
  return {
    name: "api",
    label: "API",
    description:
      "Call Switchyard's own API. `path` begins with /api/ and may have a query; `body` is sent as JSON. The credential is added for you. " +
      `Answers the status and the body, cut at ${readingAnswerBytes / 1_024} KiB: ask for small pages.`,
    parameters: {
      type: "object",
      properties: {
        method: { type: "string", enum: [...methods] },
        path: { type: "string", description: "For example /api/projects/<id>/chat-sessions?pageSize=20" },
        body: { type: "object", description: "The JSON body" },
      },
      required: ["method", "path"],
    },
    run: async (input, signal) => {
      const { method, path, body } = toFields(input);
      const known = methods.find((one) => one === method);
      if (!known) throw new Error(`\`method\` is one of ${methods.join(", ")}.`);
      const url = toAddress(api.url, path);
      const hasBody = body !== undefined && body !== null && known !== "GET";
      const until = AbortSignal.any([signal, AbortSignal.timeout(longestCallMs)]);
      const answer = await fetchFromService(url, {
        method: known,
        headers: {
          authorization: `Bearer ${api.token}`,
          ...(hasBody ? { "content-type": "application/json" } : {}),
        },
        // Agents also pass the body as text that is already JSON.
        ...(hasBody ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
        signal: until,
      }).catch(() => null);
      if (!answer) throw new Error("The service could not be reached, or did not answer in time.");
      const text = await readStart(answer, readingAnswerBytes + bytesBeyondCut);
      return toToolAnswer(`HTTP ${answer.status}${text === "" ? "" : `\n${text}`}`, redaction);
    },
  };
}

/**
 * The URL of an API path. Any other address is refused, because it would receive the credential.
 */
function toAddress(service: string, path: unknown): string {
  const base = new URL(service);
  const url = typeof path === "string" && path.startsWith("/api/") ? URL.parse(path, service) : null;
  if (!url || url.origin !== base.origin || !url.pathname.startsWith("/api/"))
    throw new Error("`path` begins with /api/, without the address of the service.");
  return url.href;
}

/** The first bytes of a response, as text. If it breaks off or does not end, what has arrived. */
async function readStart(answer: Response, limitBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer.body ?? []) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= limitBytes) break;
    }
  } catch {
    // What has arrived is returned.
  }
  return new TextDecoder().decode(Buffer.concat(pieces).subarray(0, limitBytes));
}
