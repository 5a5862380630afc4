import type { CommandDeclaration } from '../command.ts';
import { importMarquez, MARQUEZ } from './marquez/import-marquez.ts';
import { moveFlags, openMove } from './move-command.ts';

/** The commands that bring what another catalog has. */

const marquez: CommandDeclaration = {
  name: MARQUEZ.command,
  summary: 'Bring lineage, runs, tags and descriptions from Marquez',
  flags: moveFlags(MARQUEZ),
  examples: [
    'tributary import marquez --server http://localhost:5000 --dry-run',
    'tributary import marquez --server http://localhost:5000',
  ],
  run: async (input) => importMarquez(await openMove(input, MARQUEZ)),
};

export const MOVE_COMMANDS: readonly CommandDeclaration[] = [marquez];
