// Sends to a Deploy so that a repeat does nothing again. After a lost answer, the same wish goes as
// it went first: the same body under the same key, although the chat may have changed meanwhile.
import { useRef } from "react";
import { isUnsure } from "../composer/send-rules.ts";
import { type DeploySend, sendToDeploy } from "./deploy-calls.ts";

/** Returns how to send. `wish` is what the person asked for, as a text that is compared. */
export function useSealedSend(projectId: string) {
  const sealed = useRef<{ wish: string; sent: DeploySend & { key: string } } | null>(null);
  return async (wish: string, send: DeploySend) => {
    if (sealed.current?.wish !== wish) sealed.current = { wish, sent: { ...send, key: crypto.randomUUID() } };
    try {
      const delivery = await sendToDeploy(projectId, sealed.current.sent);
      sealed.current = null;
      return delivery;
    } catch (error) {
      // What was refused did nothing, so the next try is a send of its own.
      if (!isUnsure(error)) sealed.current = null;
      throw error;
    }
  };
}
