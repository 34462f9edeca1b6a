// Responses that do not come from the service, as a person reads them.
import { Switchyard } from "@switchyard/client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { findNextStep } from "../../console/src/composer/send-rules.ts";
import { Refusal } from "../../console/src/ui/refusal.tsx";

const write = "POST /api/organizations";

/** The error of a call to which a proxy responds. */
function call(status: number, isRead = false, headers: Record<string, string> = {}): Promise<unknown> {
  const fetch = async () => new Response("<html>nginx</html>", { status, headers });
  const service = new Switchyard({ baseUrl: "https://switchyard.example", apiKey: null, retries: 0, fetch });
  const called = isRead ? service.request("GET /api/models") : service.request(write, { body: { name: "New" } });
  return called.catch((error: unknown) => error);
}

function show(error: unknown): string {
  const refusal = createElement(Refusal, { error });
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, refusal));
}

test.each<[number, string]>([
  [401, "asks you to sign in to it"],
  [402, "asks for a payment"],
  [403, "has refused this. Ask the people"],
  [407, "asks you to sign in to it"],
  [413, "The message or a file is too large for a proxy on the way to the service. Send less"],
  [418, "has refused this. Ask the people"],
  [429, "takes no more requests for now. Try again in a moment."],
  [502, "The change may have been made: check before you repeat it."],
])("a proxy that responds with %i is said in words, with what to do", async (status, words) => {
  const shown = show(await call(status));
  expect(shown).toContain(words);
  expect(shown.indexOf(words)).toBeLessThan(shown.indexOf(`${write} was answered with ${status}`));
});

test("a proxy that failed at a read asks for another try, and one with a limit says how long it lasts", async () => {
  expect(show(await call(504, true))).toContain("has failed. Try again in a moment.");
  expect(show(await call(429, false, { "retry-after": "20" }))).toContain("Try again in 20 s.");
});

test("a message that is too large for a proxy is not sent again as it is", async () => {
  expect(findNextStep(await call(413))).toMatchObject({ step: null, hint: "Remove a file, or shorten the text." });
});
