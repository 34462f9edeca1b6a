// Objects in R2: bodies of unknown length go in by parts, so that none is ever whole in memory.

/** Each part but the last has to be of one size, at least 5 MiB. */
const partBytes = 8 * 1024 * 1024;

/** Writes a stream under a key, which appears only when all of it is there. A cut-off stream throws and leaves nothing. */
export async function putStream(store: R2Bucket, key: string, body: ReadableStream<Uint8Array>): Promise<void> {
  const parts = inParts(body);
  const first = await parts.next();
  const second = first.done ? first : await parts.next();
  if (second.done) {
    await store.put(key, first.done ? new Uint8Array() : first.value);
    return;
  }
  const upload = await store.createMultipartUpload(key);
  try {
    const uploaded: R2UploadedPart[] = [];
    let number = 0;
    for (const part of [first.value, second.value]) {
      if (part) uploaded.push(await upload.uploadPart(++number, part));
    }
    for await (const part of parts) uploaded.push(await upload.uploadPart(++number, part));
    await upload.complete(uploaded);
  } catch (error) {
    // Whoever writes the stream learns that nobody reads it any more.
    await parts.return(undefined);
    await upload.abort();
    throw error;
  }
}

/** Cuts a stream into parts of one size; the last may be shorter. */
async function* inParts(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let part = new Uint8Array(partBytes);
  let filled = 0;
  for await (const chunk of body) {
    for (let taken = 0; taken < chunk.length; ) {
      const piece = chunk.subarray(taken, taken + partBytes - filled);
      part.set(piece, filled);
      filled += piece.length;
      taken += piece.length;
      if (filled < partBytes) continue;
      yield part;
      part = new Uint8Array(partBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
