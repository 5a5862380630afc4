import { TYPE_FLAG } from './catalog-commands.ts';
import { type CommandDeclaration, JSON_FLAG, SERVICE_FLAGS } from './command.ts';
import { importCsv } from './import-csv.ts';
import { importDbt } from './import-dbt.ts';
import { importOpenLineage } from './import-openlineage.ts';
import { connectService } from './service-commands.ts';

/** The commands that bring files into the catalog. */

const dbt: CommandDeclaration = {
  name: 'import dbt',
  summary: 'Bring the tables, lineage, exposures, metrics and tests of a dbt project',
  operands: ['DIR'],
  flags: [
    {
      name: 'service',
      kind: 'text',
      value: 'NAME',
      description: 'database service of its tables; created if missing',
      isRequired: true,
    },
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: ['tributary import dbt target --service warehouse'],
  run: async (input) => importDbt(input, await connectService(input)),
};

const openLineage: CommandDeclaration = {
  name: 'import openlineage',
  summary: 'Send OpenLineage events of a file, and tell what they were matched with',
  operands: ['FILE'],
  flags: [
    { name: 'parse-sql', kind: 'switch', description: 'read column lineage from the SQL of the events' },
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: ['tributary import openlineage events.jsonl.gz', 'tributary import openlineage - < event.json'],
  run: async (input) => importOpenLineage(input, await connectService(input)),
};

const csv: CommandDeclaration = {
  name: 'import csv',
  summary: 'Judge the rows of a CSV file of an asset, and apply them with --apply',
  operands: ['FQN', 'FILE'],
  flags: [
    TYPE_FLAG,
    { name: 'apply', kind: 'switch', description: 'write what the rows say; without it nothing is changed' },
    { name: 'safe', kind: 'switch', description: 'remove the apostrophes that an export with --safe writes' },
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: [
    'tributary import csv shop_postgres.shop.sales.orders orders.csv',
    'tributary import csv shop_postgres.shop.sales.orders orders.csv --apply',
  ],
  run: async (input) => importCsv(input, await connectService(input)),
};

export const IMPORT_COMMANDS: readonly CommandDeclaration[] = [dbt, openLineage, csv];
