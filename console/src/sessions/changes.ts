// What a person changes of a session in a list: priority, status, and the start of the Backlog.
import { refused } from "@switchyard/client";
import { queryClient, service } from "../api.ts";
import type { Session } from "../session/queries.ts";
import { takeSession } from "../shell/live-lists.ts";
import { describeLoss, type Loss } from "./moves.ts";

const update = "PUT /api/projects/{projectId}/chat-sessions/{sessionId}";
const pathOf = ({ id, projectId }: Pick<Session, "id" | "projectId">) => ({ projectId, sessionId: id });

/** Shows a session as it will be, in every list that has it, until the service has answered. */
function showAs(session: Session): void {
  // An event that came meanwhile is newer than both.
  for (const [queryKey, list] of queryClient.getQueriesData<Session[]>({ queryKey: ["sessions"] }))
    if (list?.some(({ id, updatedAt }) => id === session.id && updatedAt === session.updatedAt))
      queryClient.setQueryData(
        queryKey,
        list.map((one) => (one.id === session.id ? session : one)),
      );
}

/** Changes fields of a session: shown immediately, and taken back if the service refuses it. */
export async function changeSession(session: Session, fields: Partial<Pick<Session, "priority" | "status">>) {
  showAs({ ...session, ...fields });
  try {
    takeSession((await service.request(update, { path: pathOf(session), body: fields })).session);
  } catch (error) {
    showAs(session);
    throw error;
  }
}

/**
 * Ends a session, unless that loses work and the person has not agreed to it. Then it says what
 * would be lost.
 */
export async function endSession(
  session: Session,
  status: "completed" | "archived",
  mayLoseWork: boolean,
): Promise<Loss | null> {
  const body = mayLoseWork ? { status } : { status, ifClean: true as const };
  try {
    takeSession((await service.request(update, { path: pathOf(session), body })).session);
    return null;
  } catch (error) {
    const loss =
      !mayLoseWork && refused(error, update) && error.failure.code === "CONFLICT"
        ? describeLoss(error.failure.details)
        : null;
    if (loss) return loss;
    throw error;
  }
}

/** Starts a session of the Backlog with the prompt that it was filed with. */
export async function startSession(session: Pick<Session, "id" | "projectId">): Promise<void> {
  const started = await service.request("POST /api/projects/{projectId}/chat-sessions/{sessionId}/activate", {
    path: pathOf(session),
    idempotencyKey: crypto.randomUUID(),
  });
  takeSession(started.session);
}
