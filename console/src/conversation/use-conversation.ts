// What the parts of a conversation share: its session, and how to keep the reader's place.
import { createContext, useContext } from "react";

export interface ConversationContext {
  session: { id: string; projectId: string } | null;
  /** Called before something is put above what is read. */
  holdPlace: () => void;
  /** Reads the whole output of a tool, by its turn and its place there. */
  readOutput: (jobId: string, place: number) => Promise<Blob>;
}

export const Conversation = createContext<ConversationContext>({
  session: null,
  holdPlace() {},
  readOutput: () => Promise.reject(new Error("This output is not kept.")),
});

export const useConversation = (): ConversationContext => useContext(Conversation);
