// Whether a list follows its end, by where it was and where it is.

/** How near to the end counts as being there. */
const nearPixels = 48;

/** A place in a list that scrolls, as its element has it. */
export interface Place {
  scrollTop: number;
  scrollHeight: number;
  clientHeight: number;
}

/** The place of an element, which is another one after the next move. */
export const toPlace = ({ scrollTop, scrollHeight, clientHeight }: Place): Place => ({
  scrollTop,
  scrollHeight,
  clientHeight,
});

/** True if a list that was at `last` follows its end. Nothing is followed while a place is held. */
export function isFollowing(wasFollowing: boolean, last: Place, now: Place, isHeld: boolean): boolean {
  const left = now.scrollHeight - now.scrollTop - now.clientHeight;
  // Shorter content and a higher window move the end up, and the browser moves the list with it.
  const moved = Math.max(0, last.scrollHeight - now.scrollHeight) + Math.max(0, now.clientHeight - last.clientHeight);
  // Each other move up is the reader's.
  if (now.scrollTop < last.scrollTop - moved - 1) return false;
  // A slow move away is near for a while, so only a move towards the end counts.
  if (!isHeld && (left < 2 || (left < nearPixels && now.scrollTop > last.scrollTop))) return true;
  return wasFollowing;
}
