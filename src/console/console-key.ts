/** Where a file of the console is in the bucket. */
export const consoleKey = (path: string): string => `console/${path}`;
