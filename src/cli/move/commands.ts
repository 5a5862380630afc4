import type { CommandDeclaration } from '../command.ts';
import { importMarquez, MARQUEZ } from './marquez/import-marquez.ts';
import { moveFlags, openMove } from './move-command.ts';
import { importOpenMetadata, OPENMETADATA } from './openmetadata/import-openmetadata.ts';

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

const openMetadata: CommandDeclaration = {
  name: OPENMETADATA.command,
  summary: 'Bring assets, lineage, tags, owners, domains and tests from OpenMetadata',
  flags: moveFlags(OPENMETADATA),
  examples: [
    'tributary import openmetadata --server https://metadata.example.com --dry-run',
    'tributary import openmetadata --server https://metadata.example.com',
  ],
  run: async (input) => importOpenMetadata(await openMove(input, OPENMETADATA)),
};

export const MOVE_COMMANDS: readonly CommandDeclaration[] = [marquez, openMetadata];
