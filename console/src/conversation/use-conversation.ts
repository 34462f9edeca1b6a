// What the parts of a conversation share: its session, and how to keep the reader's place.
import { createContext, useContext } from "react";

export interface ConversationContext {
  session: { id: string; projectId: string } | null;
  /** Shows an artifact where the conversation is of no session, such as of a cron's run. */
  onOpenArtifact?: (artifactId: string) => void;
  /** Called before something is put above what is read. */
  holdPlace: () => void;
  /** What was opened and measured, by names. */
  kept: Map<string, unknown>;
  /** Reads the whole output of a tool, by its turn and its place there; null where none is kept. */
  readOutput: ((jobId: string, place: number) => Promise<Blob>) | null;
}

export const Conversation = createContext<ConversationContext>({
  session: null,
  holdPlace() {},
  kept: new Map(),
  readOutput: null,
});

export const useConversation = (): ConversationContext => useContext(Conversation);
