// A sign-out in one tab ends all tabs of the browser: none of them shows what was read before.

import { clearKeptTexts } from "../ui/kept-text.ts";

const channelName = "switchyard-sign-out";
/** Set while the sign-in was shown since notifications of this browser were last registered. */
const signedOutKey = "signed-out";

/** Notes that the sign-in is shown: what ended with the sign-in before may begin again. */
export const recordSignOut = (): void => localStorage.setItem(signedOutKey, "true");
export const wasSignedOut = (): boolean => localStorage.getItem(signedOutKey) !== null;
export const forgetSignOut = (): void => localStorage.removeItem(signedOutKey);

/** Says in the other tabs that this browser is signed out. */
export function announceSignOut(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("signed-out");
  channel.close();
}

/** Leads this tab to the sign-in when another tab signs out. Returns what ends that. */
export function followSignOut(): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = () => {
    clearKeptTexts();
    location.assign("/");
  };
  return () => channel.close();
}
