/** Ends a command of an operator with a sentence that says what to do. */
export class Stop extends Error {}
