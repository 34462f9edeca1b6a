// What a running deployment responds to requests from outside.
import { findPresignedUrl, type S3Settings } from "../../src/storage/presign.ts";
import type { AccountFacts } from "./account.ts";
import type { Check } from "./checks.ts";
import type { Settings } from "./settings.ts";

const answerMs = 10_000;

/**
 * Sends requests to the service, its webhook, a preview host, and the bucket with the given S3
 * keys.
 */
export async function checkService(
  { publicHost, previewDomain, s3Endpoint }: Settings,
  facts: AccountFacts,
  given: Readonly<Record<string, string>>,
  ask = askOutside,
): Promise<Check[]> {
  const api = await ask(`https://${publicHost}/api/openapi.json`);
  // The service itself rejects a request without a signature. Anything in front of it responds
  // differently.
  const webhook = await ask(`https://${publicHost}/api/webhooks/github`, "POST");
  const preview = await ask(`https://doctor--sxxxxxxxxxxxxxxxx.${previewDomain}/`);
  return [
    check(`https://${publicHost} answers`, api?.status === 200, says(api)),
    check(
      "webhooks reach the service",
      webhook?.headers.has("x-request-id") === true && webhook.status < 500,
      `${says(webhook)} Turn challenges and bot protection off for this host.`,
    ),
    check(
      "previews have a certificate, and reach the service",
      preview?.headers.has("x-request-id") === true,
      `${says(preview)} A new certificate takes up to a day.`,
    ),
    await checkBucket({ ...given, S3_ENDPOINT: s3Endpoint ?? "" }, ask),
    check(
      "sandboxes have an image",
      facts.application?.image != null,
      "Run `npm run deploy` where Docker is reachable.",
    ),
  ];
}

/**
 * Reads an object that does not exist: with read access, the response says that there is none. The
 * secrets that the Worker already has cannot be read.
 */
async function checkBucket(settings: S3Settings, ask: typeof askOutside): Promise<Check> {
  const what = "the S3 keys read the bucket";
  const url = await findPresignedUrl(settings, "doctor", answerMs);
  if (url === null) {
    const help =
      "Not checked: set S3_ENDPOINT in wrangler.toml, and give S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY to this command.";
    return { what, state: "missing", help };
  }
  const answer = await ask(url);
  const isRead = answer?.status === 404 && /<Code>NoSuchKey</.test(await answer.text());
  return check(what, isRead, `${says(answer)} Make keys that may read objects of this bucket.`);
}

/** Null without a response. */
function askOutside(url: string, method = "GET"): Promise<Response | null> {
  return fetch(url, { method, signal: AbortSignal.timeout(answerMs) }).catch(() => null);
}

const says = (answer: Response | null) => (answer ? `It answers ${answer.status}.` : "It does not answer.");

function check(what: string, isOk: boolean, help: string): Check {
  return isOk ? { what, state: "ok", help: "" } : { what, state: "wrong", help };
}
