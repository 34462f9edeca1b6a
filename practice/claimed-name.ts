// Names that one process of this machine has at a time. A file could not do that: it outlasts a
// process that is killed, and two processes could look for it in the same moment.
import { createServer } from "node:net";

/**
 * Takes a name for as long as this process runs, or until the returned function is called. Null if
 * it is taken. Only Linux has such names: elsewhere, each call gets one.
 */
export function claimName(name: string): Promise<(() => void) | null> {
  if (process.platform !== "linux") return Promise.resolve(() => {});
  return new Promise((resolve) => {
    const holder = createServer().unref();
    holder.once("error", () => resolve(null));
    holder.listen(`\0switchyard-${name}`, () => resolve(() => void holder.close()));
  });
}
