import { type CommandDeclaration, SERVICE_FLAGS } from './command.ts';

/** The command that lets assistants reach the service; `mcp-relay.ts` is loaded only when it runs. */

export const MCP_COMMANDS: readonly CommandDeclaration[] = [
  {
    name: 'mcp',
    summary: 'Let an assistant ask the service by the Model Context Protocol over standard input and output',
    flags: [{ name: 'write', kind: 'switch', description: 'offer the tools that write as well' }, ...SERVICE_FLAGS],
    examples: ['tributary mcp', 'tributary mcp --server https://catalog.example.com'],
    run: async (input) => (await import('./mcp-relay.ts')).runMcp(input),
  },
];
