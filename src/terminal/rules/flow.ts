// The flow of a terminal: how much is on its way to a side that has not confirmed it. The platform
// queues what a socket cannot send, and does not say how much, so both sides confirm by frames.

export interface Flow {
  /** Adds bytes that were sent. False if more is on its way than the limit allows. */
  add(bytes: number): boolean;
  /** The other side has `total` bytes so far: at most what was sent, and never fewer again. */
  confirm(total: number): void;
  /** The bytes that the other side has confirmed. */
  confirmed(): number;
}

/** Creates a flow, with at most `limitBytes` on their way. */
export function createFlow(limitBytes: number): Flow {
  let sent = 0;
  let arrived = 0;
  return {
    add(bytes) {
      sent += bytes;
      return sent - arrived <= limitBytes;
    },
    confirm(total) {
      arrived = Math.max(arrived, Math.min(total, sent));
    },
    confirmed: () => arrived,
  };
}
