// What a running deployment answers from outside.
import type { AccountFacts } from "./account.ts";
import type { Check } from "./checks.ts";
import type { Settings } from "./settings.ts";

const answerMs = 10_000;

/** Asks the service, its webhook and a preview host. */
export async function checkService(
  { publicHost, previewDomain }: Settings,
  facts: AccountFacts,
  ask = askOutside,
): Promise<Check[]> {
  const api = await ask(`https://${publicHost}/api/openapi.json`);
  // Without a signature it is refused by the service itself; whatever stands before it answers otherwise.
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
    check("sandboxes have an image", facts.image !== null, "Run `npm run deploy` where Docker is reachable."),
  ];
}

/** Null if nothing answers. */
function askOutside(url: string, method = "GET"): Promise<Response | null> {
  return fetch(url, { method, signal: AbortSignal.timeout(answerMs) }).catch(() => null);
}

const says = (answer: Response | null) => (answer ? `It answers ${answer.status}.` : "It does not answer.");

function check(what: string, isOk: boolean, help: string): Check {
  return isOk ? { what, state: "ok", help: "" } : { what, state: "wrong", help };
}
