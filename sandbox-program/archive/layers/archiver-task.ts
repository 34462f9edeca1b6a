// The task of an archiver process, and its exit codes.
import type { RawPath } from "./raw-path.ts";

export type ArchiverTask =
  | WriteWork
  | WriteBase
  | { type: "read-work" }
  /**
   * `beneathWork` is true if unpacked work waits for this base. With `isEarly`, the checkout is put
   * in place before the folders that git ignores.
   */
  | { type: "read-base"; beneathWork: boolean; isEarly: boolean };

export interface WriteBase {
  type: "write-base";
  id: string;
  /**
   * What an agent does not need to begin: older commits, and the folders that git ignores. These
   * paths are last in the base, in this order.
   */
  last: RawPath[];
  /**
   * git's list of the commits whose parents are among the last paths; null if none are. The
   * checkout has it as its `shallow` file until everything is unpacked.
   */
  boundary: string | null;
}

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
