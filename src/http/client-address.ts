// The address of a client, by which those who show no credential are told apart. The platform says it.

/** All clients without an address count as one. */
const anybody = "anybody";

/** The address that a request comes from. Of an IPv6 address the network counts, for one client has all its addresses. */
export function clientAddress(headers: Headers): string {
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
