// What a sandbox object is in the middle of. It knows that only while it lives; a later life does the same from its beginning.
import { oneAtATime } from "./patience.ts";

export interface SandboxUnderWay {
  /** Cuts the calls of the start under way off, once it is given up. */
  start: AbortController | null;
  /** Stands for a pause that still saves, and can be called off as long as it does. */
  pause: symbol | null;
  /** One save after the other, so that the newest is in force in the end. */
  saving: ReturnType<typeof oneAtATime>;
}

export const nothingUnderWay = (): SandboxUnderWay => ({ start: null, pause: null, saving: oneAtATime() });
