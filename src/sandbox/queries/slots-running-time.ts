// Running time: how long a workspace's sandboxes have run this month, including those that run now. That of a spare does not count.

const nowMs = "CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)";
const monthStartMs = "unixepoch('now', 'start of month') * 1000";

/** Returns an SQL expression for the milliseconds. `workspaceId` is an SQL expression too. */
export function runningMsThisMonth(workspaceId: string): string {
  return `coalesce(
    (SELECT t.ms FROM running_time t WHERE t.workspace_id = ${workspaceId} AND t.month = strftime('%Y-%m', 'now')), 0) +
  (SELECT coalesce(sum(${nowMs} - max(l.claimed_at, ${monthStartMs})), 0) FROM sandbox_slots l
    WHERE l.workspace_id = ${workspaceId} AND l.state <> 'claimed' AND l.owner_type <> 'spare')`;
}
