// A delta of a git pack: how an object is put together from another one and new bytes.

/** Applies a delta to its base. Null for one that does not fit. */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array | null {
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
  if (wanted > base.length + delta.length * 64 * 1_024) return null;
  const pieces: Uint8Array[] = [];
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
    pieces.push(piece);
    made += piece.length;
    if (made > wanted) return null;
  }
  if (made !== wanted) return null;
  const whole = new Uint8Array(made);
  let end = 0;
  for (const piece of pieces) {
    whole.set(piece, end);
    end += piece.length;
  }
  return whole;
}
