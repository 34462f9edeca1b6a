// The rows of an object's parked effects in D1, which an operator lists. A failed write is logged,
// and the next try of the effect writes again.
import { log } from "../../src/lib/log.ts";
import { deleteParked, saveParked } from "../../src/operator/queries.ts";
import type { ParkingObject } from "../../src/rules/parking.ts";
import { getObjectName } from "./database.ts";

export interface Parking {
  /** The object, as its log lines name it. */
  readonly of: { object: ParkingObject; objectId: string };
  save(key: string, failed: { attempts: number; reason: string }): Promise<void>;
  forget(key: string): Promise<void>;
  forgetAll(): Promise<void>;
}

/** Creates the rows of the parked effects of an object. */
export function createParking(ctx: DurableObjectState, { DB }: { DB: D1Database }, object: ParkingObject): Parking {
  const logged = (write: Promise<void>) =>
    write.catch((error: unknown) =>
      log.warn("parked_effect.not_listed", { object, objectId: getObjectName(ctx), error }),
    );
  return {
    // Only an object that was called has a name.
    get of() {
      return { object, objectId: getObjectName(ctx) };
    },
    save: (key, failed) => logged(saveParked(DB, { object, name: getObjectName(ctx), key, ...failed }, Date.now())),
    forget: (key) => logged(deleteParked(DB, object, getObjectName(ctx), key)),
    forgetAll: () => logged(deleteParked(DB, object, getObjectName(ctx))),
  };
}
