// The task of an archiver process, and the exit code of its refusals.
export type ArchiverTask =
  | { type: "write-work"; baseId: string | null }
  | { type: "write-base"; id: string }
  | { type: "read-work" }
  /** `beneathWork` is true if unpacked work waits for this base. */
  | { type: "read-base"; beneathWork: boolean };

/** The exit code of a refusal. The refusal is on standard error as JSON. */
export const refusedExitCode = 3;
