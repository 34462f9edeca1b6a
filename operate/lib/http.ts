// The network requests of an operator's commands: the address, and why a request failed.
import { get } from "node:http";
import { readSettings } from "../cloudflare/settings.ts";
import { Stop } from "./exit.ts";

/** The timeout of a request. */
export const answerMs = 30_000;

/**
 * Returns the address of the service: `SERVICE_URL`, or the one in the wrangler.toml in `root`.
 * Throws `Stop` if it is not a valid address.
 */
export function getServiceAddress(root: string, given: string | undefined): string {
  if (!given) return `https://${readSettings(root).publicHost}`;
  const address = URL.canParse(given) ? new URL(given) : null;
  if (address && ["http:", "https:"].includes(address.protocol)) return address.origin;
  throw new Stop(`SERVICE_URL is not an address: ${given}. Write it with https:// in front.`);
}

/** The cause of a failed request, as far as it is known: `fetch` hides it in a generic error. */
export function getCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no answer in time";
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || String((cause as NodeJS.ErrnoException).code ?? error.message);
}

/**
 * Requests a page and returns its status. Names under `localhost` resolve to this machine even if
 * no resolver knows them.
 */
export async function readStatus(url: string): Promise<number> {
  const { protocol, hostname, port, host, pathname, search } = new URL(url);
  if (protocol === "http:" && hostname.endsWith(".localhost"))
    return await new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port, path: pathname + search, headers: { host } };
      get({ ...options, signal: AbortSignal.timeout(answerMs) }, (answer) => {
        answer.destroy();
        resolve(answer.statusCode ?? 0);
      }).once("error", reject);
    });
  const answer = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(answerMs) });
  await answer.body?.cancel();
  return answer.status;
}
