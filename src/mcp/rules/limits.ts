// The limits of MCP, which `limits.ts` exports with all others.

/** Decisions, "Agents by MCP": waits of one credential at a time. A further one does not wait. */
export const mcpWaitsMax = 20;
