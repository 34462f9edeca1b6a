// The memory of a sandbox on this machine: of its program, its services, and everything that they
// started.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * The proportional memory in KB of all processes that work in a sandbox's folder. Pages that
 * several processes share count once.
 */
export async function readMemory(root: string): Promise<number> {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const inside = ids.filter((id) =>
    isWithin(
      read(() => readlinkSync(`/proc/${id}/cwd`)),
      root,
    ),
  );
  const sizes = inside.map((id) =>
    Number(/^Pss:\s+(\d+)/m.exec(read(() => readFileSync(`/proc/${id}/smaps_rollup`, "utf8")))?.[1] ?? 0),
  );
  const sum = sizes.reduce((total, kb) => total + kb, 0);
  if (sum === 0) throw new Error(`no process works in ${root}`);
  return sum;
}

function isWithin(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(`${root}/`);
}

/** Empty for a process that has ended. */
function read(look: () => string): string {
  try {
    return look();
  } catch {
    return "";
  }
}
