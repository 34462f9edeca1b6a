// A gate that commands of sandboxes wait at. It is a port, because a sandbox may not see the test's
// files.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface Gate {
  /** A command of bash that ends once the gate is open, however busy the machine is. */
  command: string;
  /** Lets the waiting and all later commands continue. */
  open(): void;
}

/**
 * Makes a closed gate. It holds its port from now on, so no server of another test can take its
 * place.
 */
export async function closedGate(): Promise<Gate> {
  const waiting = new Set<Socket>();
  let isOpen = false;
  const server = createServer((socket) => {
    socket.unref().on("error", () => {});
    if (isOpen) socket.end("open\n");
    else waiting.add(socket.on("close", () => waiting.delete(socket)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return {
    // Not `read -r`: in a message to `/svc:open-pr`, `-r` names reviewers.
    command: `read < /dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}`,
    open() {
      isOpen = true;
      for (const socket of waiting) socket.end("open\n");
    },
  };
}
