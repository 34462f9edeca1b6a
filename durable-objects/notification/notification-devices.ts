// The devices that lack a notice, as its object keeps them between its tries.
import type { DeviceToTell } from "../../src/notification/queries.ts";

export interface LackingDevices {
  /** True once the first try has found whom to tell. */
  isKnown(): boolean;
  /** Keeps the devices of the first try. Who registers later is not told of what was before. */
  keep(devices: readonly DeviceToTell[]): void;
  /** Those of `devices` that lack the notice. Whoever is not among them any more gets it no more. */
  among(devices: readonly DeviceToTell[]): DeviceToTell[];
  drop(token: string): void;
  count(): number;
}

/** Opens the devices of an object. */
export function openLackingDevices({ sql, kv }: DurableObjectStorage): LackingDevices {
  sql.exec("CREATE TABLE IF NOT EXISTS devices (token TEXT PRIMARY KEY, user_id TEXT NOT NULL)");
  const all = () => sql.exec<{ token: string; user_id: string }>("SELECT token, user_id FROM devices").toArray();
  const drop = (token: string) => void sql.exec("DELETE FROM devices WHERE token = ?", token);
  return {
    isKnown: () => kv.get<boolean>("isKnown") === true,
    keep(devices) {
      for (const { token, userId } of devices) sql.exec("INSERT INTO devices VALUES (?, ?)", token, userId);
      kv.put("isKnown", true);
    },
    among(devices) {
      const present = new Map(devices.map((device) => [device.token, device]));
      return all().flatMap(({ token, user_id }) => {
        const device = present.get(token);
        if (device?.userId === user_id) return [device];
        drop(token);
        return [];
      });
    },
    drop,
    count: () => sql.exec<{ count: number }>("SELECT count(*) AS count FROM devices").one().count,
  };
}
