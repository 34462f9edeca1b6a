// A WebSocket of a preview on its way through the sandbox's object, which sees whether somebody uses it. What a visitor sends is a use of the
// sandbox unless the socket has said the same before, as heartbeats do; what a service sends is none. So an open tab keeps no sandbox awake.

/** No client has more kinds of heartbeats than this, nor longer ones. */
const rememberedCount = 16;
const rememberedCharacters = 256;

/** The answer to an upgrade, joined to the visitor by a socket that tells of each use. Any other answer is handed on as it is. */
export function carrySocket(answer: Response, used: () => void): Response {
  const service = answer.webSocket;
  if (service === null) return answer;
  const { 0: theirs, 1: visitor } = new WebSocketPair();
  const isRepeated = openMemory();
  join(visitor, service, (data) => {
    if (!isRepeated(data)) used();
  });
  join(service, visitor, () => undefined);
  service.accept();
  visitor.accept();
  const protocol = answer.headers.get("sec-websocket-protocol");
  const headers = protocol === null ? {} : { "sec-websocket-protocol": protocol };
  return new Response(null, { status: 101, webSocket: theirs, headers });
}

/** Tells whether a message is one of the last different ones. */
function openMemory(): (data: unknown) => boolean {
  const remembered = new Set<string>();
  return (data) => {
    if (typeof data !== "string" || data.length > rememberedCharacters) return false;
    const isKnown = remembered.delete(data);
    remembered.add(data);
    const [oldest] = remembered;
    if (remembered.size > rememberedCount && oldest !== undefined) remembered.delete(oldest);
    return isKnown;
  };
}

function join(from: WebSocket, to: WebSocket, heard: (data: unknown) => void): void {
  from.binaryType = "arraybuffer";
  from.addEventListener("message", ({ data }) => {
    heard(data);
    if (to.readyState === WebSocket.OPEN) to.send(data);
  });
  from.addEventListener("close", ({ code, reason }) => {
    end(to, code, reason);
    end(from, code, reason);
  });
  from.addEventListener("error", () => end(to, goneAway, ""));
}

const goneAway = 1001;
/** Codes that stand for a close that was never said, and cannot be. */
const unsaid = [1005, 1006, 1015];

function end(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState > WebSocket.OPEN) return;
  if (code === 1005) socket.close();
  else socket.close(unsaid.includes(code) ? goneAway : code, reason);
}
