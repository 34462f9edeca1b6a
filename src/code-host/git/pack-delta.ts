// A delta of a git pack: how an object is put together from another one and new bytes.

/** Applies a delta to its base. Null for one that does not fit, or that makes more than so many bytes: a few of a delta make many. */
export function applyDelta(base: Uint8Array, delta: Uint8Array, bytesMax: number): Uint8Array | null {
  let at = 0;
  const next = () => delta[at++] ?? 0;

  function size(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = next();
      value += (byte & 127) * scale;
      if (!(byte & 128) || at >= delta.length) return value;
    }
  }

  /** A number of which each bit of a mask says whether its byte is there; the lowest byte first. */
  function sparse(mask: number, bytes: number): number {
    let value = 0;
    for (let index = 0; index < bytes; index++) if (mask & (1 << index)) value += next() * 256 ** index;
    return value;
  }

  if (size() !== base.length) return null;
  const wanted = size();
  if (wanted > bytesMax) return null;
  const whole = new Uint8Array(wanted);
  let made = 0;
  while (at < delta.length) {
    const step = next();
    let piece: Uint8Array;
    if (step & 128) {
      const from = sparse(step & 15, 4);
      const length = sparse((step >> 4) & 7, 3) || 65_536;
      if (from + length > base.length) return null;
      piece = base.subarray(from, from + length);
    } else {
      piece = delta.subarray(at, at + step);
      at += step;
      if (step === 0 || piece.length !== step) return null;
    }
    if (made + piece.length > wanted) return null;
    whole.set(piece, made);
    made += piece.length;
  }
  return made === wanted ? whole : null;
}
