import { BRANCH_COMMANDS } from './branch-command.ts';
import { CATALOG_COMMANDS } from './catalog-commands.ts';
import type { CommandDeclaration } from './command.ts';
import { CONTRACT_COMMANDS } from './contract-command.ts';
import { DIFF_COMMANDS } from './diff-command.ts';
import { EXPORT_COMMANDS } from './export-command.ts';
import { HOME_COMMANDS } from './home-commands.ts';
import { IMPORT_COMMANDS } from './import-commands.ts';
import { LINEAGE_COMMANDS } from './lineage-commands.ts';
import { MCP_COMMANDS } from './mcp-command.ts';
import { MOVE_COMMANDS } from './move/commands.ts';
import { SERVICE_COMMANDS } from './service-commands.ts';

/** The table of all commands, in the order of the help. A new command is declared in a file of its own and named here. */
export const COMMANDS: readonly CommandDeclaration[] = [
  ...HOME_COMMANDS,
  ...SERVICE_COMMANDS,
  ...CATALOG_COMMANDS,
  ...LINEAGE_COMMANDS,
  ...DIFF_COMMANDS,
  ...CONTRACT_COMMANDS,
  ...BRANCH_COMMANDS,
  ...IMPORT_COMMANDS,
  ...MOVE_COMMANDS,
  ...EXPORT_COMMANDS,
  ...MCP_COMMANDS,
];
