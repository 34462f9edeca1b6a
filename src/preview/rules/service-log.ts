// The log of a service, which is read in parts: each answer says where it ends, and the next one
// continues there.

/** An offset: the log that it belongs to, and the number of UTF-16 units before it. */
export const serviceLogOffset = /^[0-9a-f]{12}\.\d{1,15}$/;

export interface ServiceLogQuery {
  name: string;
  /** Where an earlier answer ended; null for the newest output. */
  after: string | null;
}

export interface ServiceLogPart {
  log: string;
  /** Null while the service has not started. */
  offset: string | null;
  /** True if output before `log` is missing, or `log` does not continue where the query asked. */
  isCut: boolean;
}
