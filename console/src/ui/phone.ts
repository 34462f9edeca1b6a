// What the page is read on now: a window changes its width, and a keyboard or a mouse is attached.
import { useSyncExternalStore } from "react";

function createMediaHook(query: string): () => boolean {
  const media = matchMedia(query);
  const subscribe = (listener: () => void) => {
    media.addEventListener("change", listener);
    return () => media.removeEventListener("change", listener);
  };
  return () => useSyncExternalStore(subscribe, () => media.matches);
}

/** True on a phone, which has room for one column. */
export const useIsPhone = createMediaHook("(max-width: 719px)");

/** True where a finger points, which needs targets of 44 px. */
export const useIsTouch = createMediaHook("(pointer: coarse)");
