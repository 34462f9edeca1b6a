// A service whose answers are written down. It is given to the library as its `fetch`, so that no
// test waits for a network. The last answer is repeated.
import type { Settings } from "../../../packages/client/src/http.ts";

export interface ScriptedAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
}

interface SeenRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

export interface ScriptedService {
  settings: Settings;
  requests: SeenRequest[];
}

/** Creates the service; `cut` is a connection that breaks. */
export function scriptedService(...answers: (ScriptedAnswer | "cut")[]): ScriptedService {
  const requests: SeenRequest[] = [];
  const waiting = [...answers];
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    requests.push({ method: init.method ?? "GET", url: String(input), headers, body: init.body });
    const answer = (waiting.length > 1 ? waiting.shift() : waiting[0]) ?? "cut";
    if (answer === "cut") throw new TypeError("fetch failed");
    const { status, headers: given = {}, body, text = JSON.stringify(body) } = answer;
    return new Response(status === 204 ? null : text, {
      status,
      headers: { "content-type": "application/json", ...given },
    });
  };
  return { settings: { baseUrl: "https://service.test/", apiKey: "svc_key_test", fetch }, requests };
}
