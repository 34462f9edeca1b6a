// What an archiver is started for, and how it says that it refuses.
export type ArchiverTask =
  | { type: "write-work"; baseId: string | null }
  | { type: "write-base"; id: string }
  | { type: "read-work" }
  /** `beneathWork` is true when work waits for it. */
  | { type: "read-base"; beneathWork: boolean };

/** The exit code of a refusal, which is then on standard error as JSON. */
export const refusedExitCode = 3;
