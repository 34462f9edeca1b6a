// Which addresses belong to the internet. A name that a sandbox may reach can resolve to an address
// of the machine or of its network, where other services trust their callers.

/**
 * Private, shared, loopback, link-local, multicast and reserved ranges. Ranges for documentation
 * are not among them, because names of a mirror may resolve to them.
 */
const localRanges: [range: string, bits: number][] = [
  ...(["0.0.0.0", "10.0.0.0", "127.0.0.0"] as const).map((range): [string, number] => [range, 8]),
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** True for an IPv4 or IPv6 address of the internet. */
export function isPublicAddress(address: string): boolean {
  const four = toNumber(address);
  if (four !== null) return !localRanges.some(([range, bits]) => isWithin(four, toNumber(range) ?? 0, bits));
  const groups = parseGroups(address);
  if (groups === null) return false;
  const [first = 0, second = 0, , , , , high = 0, low = 0] = groups;
  const isEmbedding = groups.slice(0, 5).every((group) => group === 0) && (groups[5] === 0xffff || groups[5] === 0);
  // `::ffff:10.0.0.1` and `::10.0.0.1`, and with them `::` and `::1`.
  if (isEmbedding) return groups[5] === 0xffff && isPublicAddress(toText(high * 0x1_0000 + low));
  // Global unicast is 2000::/3. Its 2002::/16 and 64:ff9b::/96 contain IPv4 addresses.
  if (first === 0x64 && second === 0xff9b) return isPublicAddress(toText(high * 0x1_0000 + low));
  if (first === 0x2002) return isPublicAddress(toText(second * 0x1_0000 + (groups[2] ?? 0)));
  return first >= 0x2000 && first < 0x4000;
}

const isWithin = (address: number, range: number, bits: number) =>
  Math.floor(address / 2 ** (32 - bits)) === Math.floor(range / 2 ** (32 - bits));

function toNumber(address: string): number | null {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) return null;
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

const toText = (address: number) => [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");

/** Parses an IPv6 address into its eight groups; null if it is none. */
export function parseGroups(address: string): number[] | null {
  const host = URL.parse(`http://[${address.split("%")[0]}]/`)?.hostname;
  if (host === undefined) return null;
  const [left = "", right] = host.slice(1, -1).split("::");
  const parse = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [head, tail] = [parse(left), parse(right ?? "")];
  const zeros = right === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<number>(zeros).fill(0), ...tail];
}
