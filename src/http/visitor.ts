// A visitor: somebody without a credential, told from others by the address they come from, as the platform says it.

/** Whoever cannot be told apart is one visitor. */
const anybody = "anybody";

/** Names the visitor that a request comes from. Of an IPv6 address counts the network, for one visitor has all its addresses. */
export function visitorOf(headers: Headers): string {
  const address = headers.get("cf-connecting-ip")?.trim().toLowerCase();
  if (!address) return anybody;
  if (!address.includes(":")) return address;
  const [before = "", after] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after ? after.split(":") : [];
  const zeros =
    after === undefined ? [] : Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(":")}::/64`;
}
