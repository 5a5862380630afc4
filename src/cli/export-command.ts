import { open } from 'node:fs/promises';
import { StartupError } from '../errors.ts';
import { locateAsset, openCatalog, readList, textOf } from './catalog-client.ts';
import { TYPE_FLAG } from './catalog-commands.ts';
import { type CommandDeclaration, type CommandInput, SERVICE_FLAGS } from './command.ts';
import { createContentRequest, type ServiceConnection } from './service-client.ts';
import { connectService } from './service-commands.ts';
import { UsageError } from './usage-error.ts';

/** The command that writes an asset into a file: its metadata as CSV, its lineage as a graph, its contract as ODCS. */

const COMMAND = 'export';

/** The formats of lineage graphs that the service writes. */
const GRAPH_FORMATS: readonly string[] = ['csv', 'json', 'graphml', 'mermaid', 'dot'];

type Asset = { readonly fqn: string; readonly type: string; readonly collection: string };

/** Where the API answers with the export. */
type PlaceFinder = (input: CommandInput, remote: ServiceConnection, asset: Asset) => Promise<string> | string;

/** The types whose metadata is a file. */
const CSV_TYPES: readonly string[] = ['table', 'databaseSchema', 'database', 'databaseService'];

const findCsv: PlaceFinder = ({ has }, _remote, { fqn, type, collection }) => {
  if (!CSV_TYPES.includes(type)) {
    throw new StartupError(
      `${fqn} is a ${type}; CSV is of ${CSV_TYPES.join(', ')}. --lineage FORMAT exports any asset.`,
    );
  }
  const query = new URLSearchParams({
    ...(has('recursive') ? { recursive: 'true' } : {}),
    ...(has('safe') ? { safeCsv: 'true' } : {}),
  });
  return `${collection}/name/${encodeURIComponent(fqn)}/export?${query}`;
};

const findGraph: PlaceFinder = ({ text }, _remote, { fqn, type }) => {
  const depth = text('depth') ?? '';
  return `lineage/graph?${new URLSearchParams({
    type,
    fqn,
    upstreamDepth: depth,
    downstreamDepth: depth,
    columns: 'true',
    format: text('lineage') ?? '',
  })}`;
};

const findContract: PlaceFinder = async (_input, remote, { fqn, type, collection }) => {
  const catalog = openCatalog(remote, COMMAND);
  if (type === 'dataContract') return `dataContracts/name/${encodeURIComponent(fqn)}/odcs/yaml`;
  const { id } = await catalog.readJson(`${collection}/name/${encodeURIComponent(fqn)}`);
  const contracts = readList((await catalog.readJson('dataContracts', { entity: textOf(id), limit: 1 }))['data']);
  const [contract] = contracts;
  if (!contract) throw new StartupError(`${fqn} has no contract`);
  return `dataContracts/${textOf(contract['id'])}/odcs/yaml`;
};

/** Refuses to overwrite a file unless that is wanted. */
const openTarget = async (path: string, isForced: boolean) => {
  try {
    return await open(path, isForced ? 'w' : 'wx');
  } catch (cause) {
    const why =
      (cause as NodeJS.ErrnoException).code === 'EEXIST' ? 'exists: --force overwrites it' : (cause as Error).message;
    throw new StartupError(`${path} ${why}`, { cause });
  }
};

const finderFor = ({ text, has }: CommandInput): PlaceFinder => {
  if (text('lineage') !== undefined && has('odcs')) throw new UsageError('--lineage and --odcs are different exports');
  if (has('odcs')) return findContract;
  return text('lineage') === undefined ? findCsv : findGraph;
};

/**
 * Writes an answer piece by piece, so that an export may be larger than the memory. It ends when nobody takes more:
 * the reader of a pipe has what it wanted.
 */
const writeAnswer = async (response: Response, write: (text: string) => Promise<boolean>): Promise<void> => {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      if (!(await write(decoder.decode(chunk, { stream: true })))) return;
    }
  } catch (cause) {
    throw new StartupError(`The export ended early and is not whole: ${(cause as Error).message}`, { cause });
  }
};

const runExport = async (input: CommandInput): Promise<number> => {
  const find = finderFor(input);
  const remote = await connectService(input);
  const [fqn = ''] = input.positionals;
  const asset = await locateAsset(openCatalog(remote, COMMAND), fqn, input.text('type'));
  const response = await createContentRequest(remote)(COMMAND, 'GET', await find(input, remote, asset));
  const path = input.text('out');
  if (path === undefined) {
    await writeAnswer(response, input.output.write);
    return 0;
  }
  const file = await openTarget(path, input.has('force'));
  let characters = 0;
  try {
    await writeAnswer(response, async (text) => {
      await file.writeFile(text);
      characters += text.length;
      input.output.progress(`${path}: ${(characters / 1e6).toFixed(1)} MB`);
      return true;
    });
  } finally {
    await file.close();
  }
  input.output.note(`${fqn} was written to ${path}.`);
  return 0;
};

export const EXPORT_COMMANDS: readonly CommandDeclaration[] = [
  {
    name: 'export',
    summary: 'Write the CSV of an asset, its lineage as a graph, or its contract as ODCS',
    operands: ['FQN'],
    flags: [
      TYPE_FLAG,
      { name: 'recursive', kind: 'switch', description: 'CSV with everything below the asset, down to columns' },
      { name: 'safe', kind: 'switch', description: 'CSV whose cells no spreadsheet takes for formulas' },
      {
        name: 'lineage',
        kind: 'text',
        value: 'FORMAT',
        choices: GRAPH_FORMATS,
        description: 'lineage of the asset in place of its CSV',
      },
      {
        name: 'depth',
        kind: 'number',
        value: 'LEVELS',
        fallback: '3',
        description: 'levels of the lineage, both ways',
      },
      { name: 'odcs', kind: 'switch', description: 'contract of the asset as a document of the open standard' },
      { name: 'out', kind: 'text', value: 'FILE', description: 'file to write; the standard output by default' },
      { name: 'force', kind: 'switch', description: 'overwrite the file' },
      ...SERVICE_FLAGS,
    ],
    examples: [
      'tributary export shop_postgres.shop.sales.orders --out orders.csv',
      'tributary export shop_postgres.shop.sales.orders --lineage mermaid',
    ],
    run: runExport,
  },
];
