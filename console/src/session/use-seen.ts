// A session that is open in a visible tab is seen: its dot goes away wherever the person looks.
import { useEffect } from "react";
import { service } from "../api.ts";
import { takeSeen } from "../shell/live-lists.ts";
import type { Session } from "./queries.ts";

/** Marks the present reason of a session as seen, once the tab is looked at. */
export function useSeen(session: Session | null, isShown: boolean): void {
  const { id, projectId, needsYouSince, isSeen } = session ?? {};
  useEffect(() => {
    if (!isShown || !id || !projectId || !needsYouSince || isSeen === true) return;
    let isSent = false;
    const look = () => {
      if (isSent || document.visibilityState !== "visible") return;
      isSent = true;
      takeSeen(id, needsYouSince);
      const path = { projectId, sessionId: id };
      const body = { since: needsYouSince };
      service.request("PUT /api/projects/{projectId}/chat-sessions/{sessionId}/seen", { path, body }).catch(() => {
        // It is sent again when the person next looks at the tab.
        isSent = false;
      });
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [id, projectId, needsYouSince, isSeen, isShown]);
}
