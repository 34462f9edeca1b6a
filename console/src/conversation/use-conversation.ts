// The session that a conversation belongs to, for the parts of its turns.
import { createContext, useContext } from "react";

export interface ConversationContext {
  session: { id: string; projectId: string } | null;
}

export const Conversation = createContext<ConversationContext>({ session: null });

export const useConversation = (): ConversationContext => useContext(Conversation);
