// Distances between the parts of the service, in a world with counting bindings: each call through
// a binding takes longer by the time of the way there and back. Half of it passes before the call.

/** The times of the ways, there and back, in milliseconds. */
export interface Distances {
  /** Between the Worker and the database. */
  database: number;
  /** Between an object and the database. */
  objectDatabase: number;
  /** Between the Worker and an object, or two objects. */
  object: number;
}

const none: Distances = { database: 0, objectDatabase: 0, object: 0 };
/** On one machine, objects run in the Worker's isolate, so all bindings use these. */
let current = none;

/**
 * Sets the distances of all later calls, from the parameters of a query. A missing one counts as 0.
 */
export function updateDistances(query: URLSearchParams): void {
  const names = Object.keys(none) as (keyof Distances)[];
  current = { ...none, ...Object.fromEntries(names.map((name) => [name, Number(query.get(name) ?? 0)])) };
}

/** Makes a call over a distance. Without one, the call is made as it is. */
export function callOverDistance<Result>(way: keyof Distances, call: () => Result): Result | Promise<Awaited<Result>> {
  const ms = current[way];
  return ms === 0 ? call() : thereAndBack(ms / 2, call);
}

async function thereAndBack<Result>(ms: number, call: () => Result): Promise<Awaited<Result>> {
  await scheduler.wait(ms);
  const result = await call();
  await scheduler.wait(ms);
  return result;
}

/** The response of an object. The messages of its WebSocket travel as far as its calls. */
export function withDistantSocket(response: Response): Response {
  const { webSocket, status, headers } = response;
  if (!webSocket || current.object === 0) return response;
  const { 0: near, 1: end } = new WebSocketPair();
  for (const socket of [webSocket, end]) socket.accept();
  relay(webSocket, end);
  relay(end, webSocket);
  return new Response(null, { status, headers, webSocket: near });
}

function relay(from: WebSocket, to: WebSocket): void {
  const later = (pass: () => void) => setTimeout(pass, current.object / 2);
  // Timers of the same length fire in their order.
  from.addEventListener("message", ({ data }) => later(() => to.send(data)));
  // A code that no program sent, such as that of a lost connection, cannot be forwarded.
  from.addEventListener("close", ({ code, reason }) =>
    later(() => (code < 3_000 ? to.close() : to.close(code, reason))),
  );
}
