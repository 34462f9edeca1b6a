// Deltas of a git pack: an object as copies out of a base object, and new bytes.

/** The length of the object that a delta makes; it is the second number of the delta. */
export function lengthAfter(delta: Uint8Array): number {
  let at = 0;
  const size = () => {
    let value = 0;
    for (let scale = 1; at < delta.length; scale *= 128) {
      const byte = delta[at++] ?? 0;
      value += (byte & 127) * scale;
      if (!(byte & 128)) break;
    }
    return value;
  };
  size();
  return size();
}

/**
 * Applies a delta to its base. Returns null if it does not fit the base, or if its result is longer than `bytesMax`: a delta of a few
 * bytes can ask for gigabytes.
 */
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

  /** Reads a number, lowest byte first. A byte whose bit in `mask` is not set is zero and not written. */
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
