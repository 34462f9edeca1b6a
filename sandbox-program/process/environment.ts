// The environment of a process: its variables by name.

export type Environment = Record<string, string>;
