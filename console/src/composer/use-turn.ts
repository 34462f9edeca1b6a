// What the composer needs to know about the newest turn of a session.
import type { Schemas } from "@switchyard/client";
import type { LiveSession } from "../session/live-session.ts";
import { useUserId } from "../shell/profile.ts";
import { type Phase, phaseOf } from "./send-rules.ts";

export interface TurnNow {
  jobId: string | null;
  job: Schemas["Job"] | null;
  phase: Phase;
  /** True if the person started it: only they steer it. */
  isMine: boolean;
  /** What the turn was started with. */
  message: string;
  questions: Schemas["ClarificationQuestion"][];
}

export function useTurn({ state, session }: LiveSession): TurnNow {
  const userId = useUserId();
  const record = state?.session ?? session?.data ?? null;
  const job = state?.jobs.at(-1) ?? null;
  const latest = job ?? record?.latestChatJob ?? null;
  const messages = state?.messages.filter(({ jobId }) => jobId === latest?.id) ?? [];
  const first = messages.find(({ role, delivery }) => role === "user" && delivery !== "steer");
  const asked = messages.flatMap(({ blocks }) => blocks).findLast(({ type }) => type === "clarification");
  return {
    jobId: latest?.id ?? null,
    job,
    phase: phaseOf(latest),
    isMine: first?.author != null && "userId" in first.author && first.author.userId === userId,
    message: first?.content ?? "",
    questions: asked?.type === "clarification" ? asked.clarificationData.questions : [],
  };
}
