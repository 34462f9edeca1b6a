// The places of a message's blocks: each block takes the next one and keeps it.
export interface Places {
  next(): number;
  /** True while no later place is taken. */
  isLast(index: number): boolean;
}

/** Places from 0 on. */
export function createPlaces(): Places {
  let count = 0;
  return { next: () => count++, isLast: (index) => index === count - 1 };
}
