// Carries requests to the services of the sandbox. All previews go through the program, because a
// server that listens only on a loopback address cannot be reached from outside.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { brokenHeader, carriedPortHeader, unreachableHeader } from "../../src/sandbox-protocol/headers.ts";
import { createPlainResponse, createRelay, type Relayed, withConnectionClose } from "../http/relay.ts";
import type { Ports } from "../services/port-map.ts";
import { fromServiceHeaders, toServiceHeaders } from "./carried-headers.ts";

export interface Carrier {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, caller: Duplex, head: Buffer): void;
}

/** True for a request that is not for the program itself. */
export const isCarried = ({ headers }: IncomingMessage): boolean => headers[carriedPortHeader] !== undefined;

/** Creates the carrier. The signature identifies the program that responds, also for a service. */
export function createCarrier(ports: Ports, signature: Record<string, string>): Carrier {
  const relay = createRelay();

  /** Null for a port that no service of this sandbox can have. */
  function relayed({ url: path = "/", headers }: IncomingMessage): Relayed | null {
    const declared = Number(headers[carriedPortHeader]);
    const port = ports.reachable(declared);
    if (port === null) return null;
    return {
      port,
      path,
      headers: toServiceHeaders(headers, port),
      answerHeaders: (answered) => ({ ...fromServiceHeaders(answered, port, declared), ...signature }),
      fail,
    };
  }

  function fail(failure: "unreachable" | "broken", response: ServerResponse): void {
    const told = failure === "unreachable" ? unreachableHeader : brokenHeader;
    withConnectionClose(response)
      .writeHead(502, { ...signature, [told]: "1", "content-length": "0" })
      .end();
  }

  return {
    request(request, response) {
      const to = relayed(request);
      if (to) relay.request(to, request, response);
      else fail("unreachable", response);
    },
    upgrade(request, caller, head) {
      const to = relayed(request);
      if (to) relay.upgrade(to, request, caller, head);
      else fail("unreachable", createPlainResponse(request, caller));
    },
  };
}
