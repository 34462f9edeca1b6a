// The pull request of a session as the code host has it: read when it is shown, and again when the
// stream reports a change.
import { SwitchyardError } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import type { LiveSession } from "../session/live-session.ts";

/** The code host does not report all that is shown, such as a check that waited and now runs. */
const askAgainMs = 30_000;

export function useReview({ session, state }: LiveSession) {
  const { prNumber, prState } = state?.session ?? session?.data ?? { prNumber: null, prState: null };
  const event = state?.pullRequestEventId ?? null;
  const isOpen = prState === "draft" || prState === "open";
  return useQuery({
    queryKey: ["pull-request", session?.id, prNumber, prState, event],
    queryFn: ({ signal }) =>
      session ? session.pullRequest({ signal }) : Promise.reject(new Error("There is no session.")),
    enabled: session !== null && prNumber !== null,
    staleTime: 0,
    refetchInterval: isOpen ? askAgainMs : false,
    placeholderData: (before) => (before?.number === prNumber ? before : undefined),
    retry: (count, error) => count < 2 && !(error instanceof SwitchyardError && error.status === 404),
  });
}
