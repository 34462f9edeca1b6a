// A sign-out in one tab ends all tabs of the browser: none of them shows what was read before.

import { clearKeptTexts } from "../ui/kept-text.ts";

const channelName = "switchyard-sign-out";

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
