// A sandbox as its one row: a column for each field of every life. A column is null while its field
// does not exist.
import type { Life, Sandbox, SandboxLifeState, SandboxRecord, Starting, Up } from "./lifecycle.ts";
import { absentSandbox, findStartFailure, toRecord } from "./lifecycle.ts";

type Nullable<Fields> = { [Field in keyof Fields]: Fields[Field] | null };

/** The row of a sandbox. */
export type StoredSandbox = SandboxRecord &
  Nullable<Omit<Up, "state">> &
  Pick<Starting, "spareBranch"> & { state: SandboxLifeState; failure: ReturnType<typeof findStartFailure> };

const noLife = {
  ...{ runningSince: null, bootId: null, program: null, protocol: null },
  ...{ resettingSince: null, setupFailure: null, spareBranch: null },
};

/** The row of a sandbox that never started. */
export const absentRow: StoredSandbox = { ...absentSandbox, ...noLife, failure: null };

/** A sandbox from its row. Columns that mean nothing in its life are left out. */
export function fromStored(row: StoredSandbox): Sandbox {
  return { ...toRecord(row), ...toLife(row) };
}

function toLife(row: StoredSandbox): Life {
  const { state } = row;
  switch (state) {
    case "absent":
    case "paused":
      return { state, failure: row.failure };
    case "creating":
    case "resuming":
      return { state, program: stored(row, "program"), spareBranch: row.spareBranch };
    case "running":
    case "pausing": {
      const { resettingSince, setupFailure } = row;
      const [bootId, program] = [stored(row, "bootId"), stored(row, "program")];
      const [runningSince, protocol] = [stored(row, "runningSince"), stored(row, "protocol")];
      return { state, runningSince, bootId, program, protocol, resettingSince, setupFailure };
    }
    case "gone":
      return { state };
  }
}

/** A column of the row's life, which `toStored` always writes. */
function stored<Name extends "bootId" | "program" | "runningSince" | "protocol">(
  row: StoredSandbox,
  name: Name,
): NonNullable<StoredSandbox[Name]> {
  const value = row[name];
  if (value === null) throw new Error(`The row of a sandbox that is ${row.state} has no ${name}.`);
  return value;
}

/** The row of a sandbox. */
export function toStored(sandbox: Sandbox): StoredSandbox {
  return { ...noLife, ...sandbox, failure: findStartFailure(sandbox) };
}
