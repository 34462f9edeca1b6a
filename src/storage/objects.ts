// R2 objects of unknown length: they are uploaded in parts, so that no body is in memory as a whole.

/** R2 requires parts of one size of at least 5 MiB, except the last. */
const partBytes = 8 * 1024 * 1024;

/**
 * Streams a body into an object and answers its length in bytes. The object appears once it is complete; if the stream breaks off, this
 * throws and stores nothing.
 */
export async function putStream(
  store: R2Bucket,
  key: string,
  body: AsyncIterable<Uint8Array>,
  httpMetadata: R2HTTPMetadata = {},
): Promise<number> {
  const parts = inParts(body);
  const first = await parts.next();
  const second = first.done ? first : await parts.next();
  if (second.done) {
    const whole = first.done ? new Uint8Array() : first.value;
    await store.put(key, whole, { httpMetadata });
    return whole.length;
  }
  const upload = await store.createMultipartUpload(key, { httpMetadata });
  try {
    const uploaded: R2UploadedPart[] = [];
    let bytes = 0;
    const add = async (part: Uint8Array) => {
      uploaded.push(await upload.uploadPart(uploaded.length + 1, part));
      bytes += part.length;
    };
    for (const part of [first.value, second.value]) if (part) await add(part);
    for await (const part of parts) await add(part);
    await upload.complete(uploaded);
    return bytes;
  } catch (error) {
    // Cancels the stream, so that its writer stops.
    await parts.return(undefined);
    await upload.abort();
    throw error;
  }
}

/** Deletes all objects whose key begins with a prefix. Idempotent. */
export async function deletePrefix(store: R2Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await store.list({ prefix });
    if (objects.length > 0) await store.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}

/** Cuts a stream into parts of `partBytes`; the last may be shorter. */
async function* inParts(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    for (let rest = chunk; rest.length > 0; ) {
      const piece = rest.subarray(0, partBytes - bytes);
      rest = rest.subarray(piece.length);
      pieces.push(piece);
      bytes += piece.length;
      if (bytes < partBytes) continue;
      yield joined(pieces, bytes);
      pieces = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield joined(pieces, bytes);
}

function joined(pieces: Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let filled = 0;
  for (const piece of pieces) {
    whole.set(piece, filled);
    filled += piece.length;
  }
  return whole;
}
