// What the parts of a conversation share: its session, and how to keep the reader's place.
import { createContext, useContext } from "react";

export interface ConversationContext {
  session: { id: string; projectId: string } | null;
  /** Called before something is put above what is read. */
  holdPlace: () => void;
}

export const Conversation = createContext<ConversationContext>({ session: null, holdPlace() {} });

export const useConversation = (): ConversationContext => useContext(Conversation);
