// Which kinds of notifications a person wants. All are on until the person switches them off.
import { type NotificationKind, notificationKinds } from "./notification.ts";

export type NotificationSwitches = Record<NotificationKind, boolean>;

/** The switches of a person, from the kinds that are off. */
export function toSwitches(off: readonly string[]): NotificationSwitches {
  return Object.fromEntries(notificationKinds.map((kind) => [kind, !off.includes(kind)])) as NotificationSwitches;
}

/** The kinds that are off after a change. What the change leaves out stays. */
export function updateKindsOff(
  off: readonly string[],
  changes: { [Kind in NotificationKind]?: boolean | undefined },
): NotificationKind[] {
  const before = toSwitches(off);
  return notificationKinds.filter((kind) => !(changes[kind] ?? before[kind]));
}
