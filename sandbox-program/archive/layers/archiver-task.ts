// The task of an archiver process, and its exit codes.
import type { RawPath } from "./raw-path.ts";

export type ArchiverTask =
  | WriteWork
  /**
   * `ignored` has the folders of the project that git ignores. They are last in the base, so that
   * an agent can begin before they are unpacked.
   */
  | { type: "write-base"; id: string; ignored: RawPath[] }
  | { type: "read-work" }
  /**
   * `beneathWork` is true if unpacked work waits for this base. With `isEarly`, the checkout is put
   * in place before the folders that git ignores.
   */
  | { type: "read-base"; beneathWork: boolean; isEarly: boolean };

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

/** What an archiver prints once the checkout of a base is in place and the rest follows. */
export const checkoutInPlace = "\n";
