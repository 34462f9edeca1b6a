export function buildSandboxProgram(outfile?: string): Promise<string>;
export function bundleSandboxProgram(): Promise<{ program: string; archiver: string; inputs: string[] }>;
