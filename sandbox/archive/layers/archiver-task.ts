// What an archiver is started for, and how it says that it refuses.
export type ArchiverTask =
  | { do: "write-work"; baseId: string | null }
  | { do: "write-base"; id: string }
  | { do: "read-work" }
  /** `beneathWork` is true when work waits for it. */
  | { do: "read-base"; beneathWork: boolean };

/** The exit code of a refusal, which is then on standard error as JSON. */
export const refusedExitCode = 3;
