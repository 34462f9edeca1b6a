// The address of a client, as the platform reports it. It identifies clients without a credential.

/** The shared name of all clients without an address. */
const anybody = "anybody";

/** The address of a request. For IPv6 its network, because one client has all addresses of a network. */
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
