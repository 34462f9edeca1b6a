// The task of an archiver process, and its exit codes.
export type ArchiverTask =
  | WriteWork
  | { type: "write-base"; id: string }
  | { type: "read-work" }
  /** `beneathWork` is true if unpacked work waits for this base. */
  | { type: "read-base"; beneathWork: boolean };

export interface WriteWork {
  type: "write-work";
  baseId: string | null;
  /** The id of the new save; null if nobody will ask whether it is still current. */
  id: string | null;
  /** The id of an earlier save. If the sandbox is unchanged since then, nothing is written. */
  known: string | null;
}

/** The exit code if the sandbox is as it was at the known save. Nothing was written. */
export const unchangedExitCode = 4;

/** The exit code of a refusal. The refusal is on standard error as JSON. */
export const refusedExitCode = 3;
