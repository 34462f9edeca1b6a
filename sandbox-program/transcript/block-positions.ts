// Assigns the blocks of a message their indexes. A block keeps its index.
export interface Places {
  next(): number;
  /** True if no later index has been assigned. */
  isLast(index: number): boolean;
}

/** Assigns indexes from 0. */
export function createPlaces(): Places {
  let count = 0;
  return { next: () => count++, isLast: (index) => index === count - 1 };
}
