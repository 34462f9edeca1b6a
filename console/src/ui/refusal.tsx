// What the service refused, or why it was not reached: the sentence, the next step, the request id.
import { ConnectionError, SwitchyardError } from "@switchyard/client";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CopyId } from "./copy-id.tsx";
import { describeProxyRefusal, isOfProxy } from "./proxy-refusal.ts";
import { dropProgramAdvice } from "./sentence.ts";

export const signedOutWords = "You are signed out. Sign in to continue; what you typed is kept.";

/** The sentence of an error for a person. */
function describeError(error: unknown): string {
  if (isOfProxy(error)) return describeProxyRefusal(error);
  // The service speaks to programs here: it asks for an API key.
  if (error instanceof SwitchyardError && error.status === 401) return signedOutWords;
  if (error instanceof SwitchyardError) return dropProgramAdvice(error.message);
  if (error instanceof ConnectionError)
    return error.mayHaveHappened
      ? "The connection broke before the response arrived. The change may have been made: check before you repeat it."
      : "The service was not reached. Check your connection.";
  return error instanceof Error ? error.message : String(error);
}

/** True for a refusal that the same request gets again: there is no such thing, or not for them. */
export const isClosed = (error: unknown): boolean =>
  error instanceof SwitchyardError && (error.status === 403 || error.status === 404);

interface RefusalProps {
  error: unknown;
  /** Puts the names of the page into the sentence of the error. */
  reword?: (sentence: string) => string;
  /** For a field that it describes. */
  id?: string;
  children?: ReactNode;
}

export function Refusal({ error, reword, id, children }: RefusalProps) {
  const sentence = describeError(error);
  return (
    <div role="alert" id={id} className="rounded-block bg-red-tint px-4 py-3 text-ui text-red-ink">
      <p className="[overflow-wrap:anywhere]">{reword ? reword(sentence) : sentence}</p>
      {children ? <div className="mt-2 flex flex-wrap gap-2">{children}</div> : <ReadAgain error={error} />}
      {isOfProxy(error) && <p className="mt-1 text-meta [overflow-wrap:anywhere]">{error.message}</p>}
      <RequestId error={error} />
    </div>
  );
}

/** The id by which an operator finds the request, if the service gave one. */
export function RequestId({ error }: { error: unknown }) {
  const requestId = error instanceof SwitchyardError ? error.requestId : null;
  return (
    requestId && (
      <p className="mt-1">
        <CopyId word="Request" id={requestId} />
      </p>
    )
  );
}

/** The next step for what could not be read, unless the answer would be the same. */
function ReadAgain({ error }: { error: unknown }) {
  const client = useQueryClient();
  if (isClosed(error)) return null;
  const failed = client.getQueryCache().findAll({ type: "active", predicate: ({ state }) => state.error === error });
  if (failed.length === 0) return null;
  return (
    <Button className="mt-2" onClick={() => client.refetchQueries({ predicate: (query) => failed.includes(query) })}>
      Try again
    </Button>
  );
}
