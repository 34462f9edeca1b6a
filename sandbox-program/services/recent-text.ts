// The end of a growing text, in limited memory.
export interface RecentText {
  push(text: string): void;
  /** The end of the text: at most this many bytes, in whole characters. */
  end(bytes: number): string;
  /** How many UTF-16 units were pushed. */
  length(): number;
}

const pieceCharacters = 8_192;

/** Keeps at least the last `bytes` bytes. */
export function createRecentText(bytes: number): RecentText {
  const pieces: string[] = [];
  let characters = 0;
  let length = 0;
  return {
    push(text) {
      length += text.length;
      // A character has at least one byte, so as many characters are enough.
      const kept = text.slice(-bytes);
      const last = pieces.at(-1);
      if (last !== undefined && last.length + kept.length <= pieceCharacters) pieces[pieces.length - 1] = last + kept;
      else pieces.push(kept);
      characters += kept.length;
      for (let first = pieces[0]; first !== undefined && characters - first.length >= bytes; first = pieces[0]) {
        characters -= first.length;
        pieces.shift();
      }
    },
    end(most) {
      const all = Buffer.from(pieces.join(""));
      let start = Math.max(0, all.length - most);
      while (start < all.length && isWithinCharacter(all[start] ?? 0)) start += 1;
      return all.toString("utf8", start);
    },
    length: () => length,
  };
}

const isWithinCharacter = (byte: number) => (byte & 0xc0) === 0x80;
