// Relays the WebSocket of a preview through the sandbox's object and reports its use
// (`rules/use.ts` says which messages are one). A message that exceeds the limit of the sandbox
// closes its socket (`rules/relay-limit.ts`). A socket outlives the Auth Token that opened it, so
// the relay checks at the token's interval whether its visitor may still see the preview.
import { authTokenLifetimeMs } from "../../rules/limits.ts";
import type { ByteWindow, RelayLimits } from "../rules/relay-limit.ts";
import { createRepetitionFilter } from "../rules/use.ts";

export interface SocketRelay {
  limits: RelayLimits;
  onUse(): void;
  /** True while the visitor may see the preview. If the check fails, the socket stays open. */
  mayStay(): Promise<boolean>;
}

/** Relays the socket of an upgrade response. Any other response is returned unchanged. */
export function relaySocket(answer: Response, { limits, onUse, mayStay }: SocketRelay): Response {
  const service = answer.webSocket;
  if (service === null) return answer;
  const { 0: client, 1: visitor } = new WebSocketPair();
  const isRepeated = createRepetitionFilter();
  relay(visitor, service, limits.toService, (data) => {
    if (!isRepeated(data)) onUse();
  });
  relay(service, visitor, limits.toVisitor, () => undefined);
  const look = setInterval(async () => {
    if (await mayStay().catch(() => true)) return;
    clearInterval(look);
    endSocket(visitor, notAllowed);
    endSocket(service, goingAway);
  }, authTokenLifetimeMs);
  for (const socket of [visitor, service]) socket.addEventListener("close", () => clearInterval(look));
  service.accept();
  visitor.accept();
  const protocol = answer.headers.get("sec-websocket-protocol");
  const headers = protocol === null ? {} : { "sec-websocket-protocol": protocol };
  return new Response(null, { status: 101, webSocket: client, headers });
}

function relay(from: WebSocket, to: WebSocket, fits: ByteWindow, onMessage: (data: unknown) => void): void {
  from.binaryType = "arraybuffer";
  from.addEventListener("message", ({ data }) => {
    onMessage(data);
    if (to.readyState !== WebSocket.OPEN) return;
    if (fits(countBytes(data), Date.now())) {
      to.send(data);
      return;
    }
    for (const socket of [from, to]) endSocket(socket, tooMuch);
  });
  from.addEventListener("close", ({ code, reason }) => {
    endSocket(to, code, reason);
    endSocket(from, code, reason);
  });
  from.addEventListener("error", () => endSocket(to, goingAway));
}

const encoder = new TextEncoder();
const countBytes = (data: string | ArrayBuffer) =>
  typeof data === "string" ? encoder.encode(data).length : data.byteLength;

const goingAway = 1001;
const notAllowed = 1008;
const tooMuch = 1009;
/** Codes that mean a close without a frame. They cannot be sent. */
const unsendable = [1005, 1006, 1015];

/** Ends a socket as its peer was closed. Does nothing to one that is closing. */
export function endSocket(socket: WebSocket, code: number, reason = ""): void {
  if (socket.readyState > WebSocket.OPEN) return;
  if (code === 1005) socket.close();
  else socket.close(unsendable.includes(code) ? goingAway : code, reason);
}
