/** The header by which the person who configures a client switches writing on. */
export const WRITE_HEADER = 'X-Tributary-Mcp-Write';
