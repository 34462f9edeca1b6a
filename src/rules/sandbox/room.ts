// Room on the platform: a start that was refused for want of it is tried again until its deadline, each at a time of its own.
import { growingPause } from "../growing-pause.ts";

/** The platform's words for it. It gives no other sign. */
const wantOfRoom = /no container instance that can be provided|too many containers per second/i;

const pauses = { firstMs: 1_000, longestMs: 15_000 };

/** True if a start failed because the platform has no room at the moment. */
export function lacksRoom(reason: string): boolean {
  return wantOfRoom.test(reason);
}

/**
 * How long a start waits before it is tried again, in milliseconds. Half of the pause is drawn, so that many that were refused together do not
 * come back together. `attempt` counts from 1; `drawn` is from 0 up to 1.
 */
export function pauseForRoom(attempt: number, drawn: number): number {
  const pause = growingPause(attempt, pauses);
  return pause / 2 + (pause / 2) * drawn;
}
