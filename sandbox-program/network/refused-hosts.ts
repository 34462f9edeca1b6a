// The hosts that the filter of the sandbox's network refused. A failed command ends with them,
// because many programs report only that a connection failed.

/** Further hosts are not counted. */
const hostsMax = 200;
const linesMax = 10;

const counts = new Map<string, number>();

/** Counts a refused host. `host` has its port, such as `example.com:443`. */
export function recordRefusedHost(host: string): void {
  const count = counts.get(host);
  if (count !== undefined || counts.size < hostsMax) counts.set(host, (count ?? 0) + 1);
}

/** Starts to watch. The result formats a line for each host that was refused since. */
export function startRefusedHostWatch(): () => string[] {
  const before = new Map(counts);
  return () =>
    [...counts]
      .map(([host, count]) => ({ host, times: count - (before.get(host) ?? 0) }))
      .filter(({ times }) => times > 0)
      .slice(0, linesMax)
      .map(({ host, times }) => `network: refused ${host}${times === 1 ? "" : ` (${times} times)`}`);
}
