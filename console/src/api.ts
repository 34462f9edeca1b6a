// The service as the console calls it: with the cookie of the browser, through the client library.
import { Switchyard, SwitchyardError } from "@switchyard/client";
import { createQueryClient } from "./query-client.ts";
import { fetchInTurns } from "./shell/event-turns.ts";
import { recordServiceTime } from "./ui/clock.ts";

const profilePath = "/api/user/profile";

/** After a refusal for want of a sign-in, the profile is read again: with it, the page ends. */
const fetchSignedIn: typeof fetch = async (input, init) => {
  const response = await fetchInTurns(input, init);
  recordServiceTime(response.headers.get("date"));
  if (response.status === 401 && new URL(String(input)).pathname !== profilePath)
    queryClient.invalidateQueries({ queryKey: ["me"] });
  return response;
};

const settings = { baseUrl: location.origin, apiKey: null, client: "console", fetch: fetchSignedIn };

export const service = new Switchyard(settings);

/** Makes each call once, for a read that a person need not wait for, and can ask for again. */
export const hastyService = new Switchyard({ ...settings, retries: 0 });

export const queryClient = createQueryClient();

/** True if the browser has no session, or its session has ended. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof SwitchyardError && error.status === 401;
}
