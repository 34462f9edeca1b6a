// The request id across calls of objects. A call carries the id of the request that caused it as
// one more argument, so that what the object logs, now and later, names that request.
import { findRequestId, withRequestId } from "./log.ts";

/**
 * Begins the additional argument. It is a string, because an object makes a call take 5 % more CPU.
 */
const mark = "carried-request-id:";

/** Makes the calls of an object carry the id of the current request. */
export function withCarriedRequestId<Stub extends object>(stub: Stub): Stub {
  const requestId = findRequestId();
  if (requestId === null) return stub;
  const carried = `${mark}${requestId}`;
  return new Proxy(stub, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      // A request has headers, and no further argument.
      const more = name === "fetch" ? [] : [carried];
      return (...given: unknown[]) => Reflect.apply(value, target, [...given, ...more]);
    },
  });
}

const accepting = new WeakSet<object>();

/**
 * Makes the methods of a class, up to a base class, run with the request id that their call
 * carried. They do not see the additional argument.
 */
export function acceptCarriedRequestIds(prototype: object, base: object): void {
  for (let one = prototype; one !== base && !accepting.has(one); one = Object.getPrototypeOf(one)) {
    accepting.add(one);
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      const method: unknown = property.value;
      if (name !== "constructor" && typeof method === "function")
        Object.defineProperty(one, name, { ...property, value: acceptingMethod(method) });
    }
  }
}

// biome-ignore lint/complexity/noBannedTypes: the methods have no type in common.
function acceptingMethod(method: Function) {
  return function (this: unknown, ...given: unknown[]): unknown {
    const last = given.at(-1);
    if (typeof last !== "string" || !last.startsWith(mark)) return Reflect.apply(method, this, given);
    return withRequestId(last.slice(mark.length), () => Reflect.apply(method, this, given.slice(0, -1)));
  };
}
