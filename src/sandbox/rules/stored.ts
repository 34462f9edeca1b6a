// A sandbox as its one row: a column for each field of every life. A column is null while its field
// does not exist.
import type { Life, Sandbox, SandboxLifeState, SandboxRecord, Starting, Up } from "./lifecycle.ts";
import { absentSandbox, failureOf, recordOf } from "./lifecycle.ts";

type Nullable<Fields> = { [Field in keyof Fields]: Fields[Field] | null };

/** The row of a sandbox. */
export type StoredSandbox = SandboxRecord &
  Nullable<Omit<Up, "state">> &
  Pick<Starting, "spareBranch"> & { state: SandboxLifeState; failure: ReturnType<typeof failureOf> };

const noLife = {
  ...{ runningSince: null, bootId: null, program: null, protocol: null },
  ...{ resettingSince: null, setupFailure: null, spareBranch: null },
};

/** The row of a sandbox that never started. */
export const absentRow: StoredSandbox = { ...absentSandbox, ...noLife, failure: null };

/** A sandbox from its row. Columns that mean nothing in its life are left out. */
export function fromStored(row: StoredSandbox): Sandbox {
  return { ...recordOf(row), ...lifeOf(row) };
}

function lifeOf(row: StoredSandbox): Life {
  const { state, program } = row;
  switch (state) {
    case "absent":
    case "paused":
      return { state, failure: row.failure };
    case "creating":
    case "resuming":
      return { state, program, spareBranch: row.spareBranch };
    case "running":
    case "pausing": {
      const { runningSince, bootId, protocol, resettingSince, setupFailure } = row;
      const since = runningSince ?? row.lastUsedAt;
      return { state, runningSince: since, bootId, program, protocol, resettingSince, setupFailure };
    }
    case "gone":
      return { state };
  }
}

/** The row of a sandbox. */
export function toStored(sandbox: Sandbox): StoredSandbox {
  return { ...noLife, ...sandbox, failure: failureOf(sandbox) };
}
