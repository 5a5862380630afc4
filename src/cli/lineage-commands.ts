import { type CatalogAnswer, findNamedAsset, objectOf, openCatalog, readList, textOf } from './catalog-client.ts';
import { TYPE_FLAG } from './catalog-commands.ts';
import { type CommandDeclaration, type CommandInput, JSON_FLAG, SERVICE_FLAGS } from './command.ts';
import { IMPACT_HEAD, readImpactRows } from './impact-rows.ts';
import { readLineageFromSql } from './lineage-sql.ts';
import { assetLineageOf, columnLineageOf, type Direction, drawTree } from './lineage-tree.ts';
import { stripControls } from './output.ts';
import { connectService } from './service-commands.ts';

/** The commands that follow lineage. */

const DIRECTIONS: readonly Direction[] = ['upstream', 'downstream'];

/** Counts what a column is made from and what it feeds, and what an answer of limited depth leaves out. */
const noteTrail = ({ output }: CommandInput, trail: CatalogAnswer): void => {
  const further = Number(trail['cutColumns'] ?? 0);
  const beyond = further > 0 ? ` ${further} further columns lie beyond: raise --depth.` : '';
  output.note(`${textOf(trail['columns'])} columns in ${textOf(trail['assets'])} assets.${beyond}`);
};

const printTree = (input: CommandInput, answer: CatalogAnswer): void => {
  const { output, text } = input;
  const column = text('column');
  const graph = column === undefined ? assetLineageOf(answer) : columnLineageOf(answer, column);
  const title = column === undefined ? textOf(objectOf(answer['root'])['fullyQualifiedName']) : graph.root;
  output.line(output.paint('bold', stripControls(title)));
  for (const direction of DIRECTIONS) {
    if (!['both', direction].includes(text('direction') ?? '')) continue;
    const lines = drawTree(graph, direction);
    output.line(output.paint('cyan', direction === 'upstream' ? 'is made from' : 'feeds'));
    for (const line of lines.length > 0 ? lines : ['   nothing']) output.line(line);
  }
  if (column !== undefined) noteTrail(input, objectOf(answer['trail']));
  if (answer['truncated'] === true) output.note('The answer was cut: lower --depth, or choose a --direction.');
};

/** Assets around an asset are many, and those on the trail of a column few. */
const DEPTH_OF_ASSETS = '3';

const lineage: CommandDeclaration = {
  name: 'lineage',
  summary: 'Show what an asset is made from and what it feeds, as a tree',
  operands: ['FQN'],
  flags: [
    TYPE_FLAG,
    { name: 'column', kind: 'text', value: 'NAME', description: 'column whose whole trail is shown' },
    {
      name: 'depth',
      kind: 'number',
      value: 'LEVELS',
      description: `number of levels to follow; ${DEPTH_OF_ASSETS} by default, and all of them with --column`,
    },
    {
      name: 'direction',
      kind: 'text',
      value: 'WAY',
      fallback: 'both',
      choices: [...DIRECTIONS, 'both'],
      description: 'where to walk',
    },
    { name: 'as-of', kind: 'text', value: 'TIME', description: 'time of the lineage, such as 2026-01-31' },
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: [
    'tributary lineage shop_postgres.shop.sales.orders --direction downstream',
    'tributary lineage warehouse_snowflake.ANALYTICS.CORE.FCT_SALES --column NET_EUR',
  ],
  run: async (input) => {
    const [fqn = ''] = input.positionals;
    const { text } = input;
    const catalog = openCatalog(await connectService(input), 'lineage');
    const asset = await findNamedAsset(catalog, fqn, text('type'));
    const column = text('column');
    const depth = text('depth') ?? (column === undefined ? DEPTH_OF_ASSETS : undefined);
    const answer = await catalog.readJson('lineage/graph', {
      ...asset,
      column,
      upstreamDepth: text('direction') === 'downstream' ? 0 : depth,
      downstreamDepth: text('direction') === 'upstream' ? 0 : depth,
      asOf: text('as-of'),
    });
    if (input.has('json')) input.output.json(answer);
    else printTree(input, answer);
    return 0;
  },
};

const impact: CommandDeclaration = {
  name: 'impact',
  summary: 'Show what a change of an asset or of one of its columns may break, the worst first',
  operands: ['FQN'],
  flags: [
    TYPE_FLAG,
    { name: 'column', kind: 'text', value: 'NAME', description: 'column that changes; the whole asset by default' },
    {
      name: 'change',
      kind: 'text',
      value: 'CHANGE',
      fallback: 'drop',
      choices: ['drop', 'rename', 'retype'],
      description: 'what happens to it',
    },
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: ['tributary impact shop_postgres.shop.sales.orders --column amount --change retype'],
  run: async (input) => {
    const [fqn = ''] = input.positionals;
    const { text, output } = input;
    const catalog = openCatalog(await connectService(input), 'impact');
    const asset = await findNamedAsset(catalog, fqn, text('type'));
    const answer = await catalog.readJson('lineage/impact', {
      ...asset,
      column: text('column'),
      change: text('change'),
    });
    if (input.has('json')) {
      output.json(answer);
      return 0;
    }
    const rows = readImpactRows(answer['affected']);
    if (rows.length > 0) output.table(IMPACT_HEAD, rows);
    const summary = objectOf(answer['summary']);
    const count = (name: string, word: string) => `${textOf(summary[name])} ${word}`;
    output.note(
      rows.length === 0
        ? 'Nothing is made from it.'
        : `${count('entities', 'assets')}, ${count('columns', 'columns')}, ${count('contracts', 'contracts')}, ${count('tests', 'tests')}, ${count('owners', 'owners')} to ask`,
    );
    return 0;
  },
};

const linkOf = ({ type, fqn }: { readonly type: string; readonly fqn: string }): string => `<#E::${type}::${fqn}>`;

const path: CommandDeclaration = {
  name: 'path',
  summary: 'Show the shortest ways on which data flows from one asset to another',
  operands: ['FROM', 'TO'],
  flags: [
    { name: 'limit', kind: 'number', value: 'COUNT', fallback: '5', description: 'number of ways to show' },
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: ['tributary path shop_postgres.shop.sales.orders warehouse_snowflake.ANALYTICS.MARTS.READER_LIFETIME'],
  run: async (input) => {
    const [from = '', to = ''] = input.positionals;
    const { output } = input;
    const catalog = openCatalog(await connectService(input), 'path');
    const ends = await Promise.all([findNamedAsset(catalog, from), findNamedAsset(catalog, to)]);
    const [start, end] = ends.map(linkOf);
    const answer = await catalog.readJson('lineage/paths', { from: start, to: end, maxPaths: input.text('limit') });
    const paths = readList(answer['paths']);
    if (input.has('json')) output.json(answer);
    else
      for (const one of paths) {
        const names = readList(one['nodes']).map((node) =>
          node['hidden'] === true ? '(hidden)' : stripControls(textOf(node['fullyQualifiedName'])),
        );
        output.line(names.map((name, at) => `${'  '.repeat(at)}${at === 0 ? '' : '└─ '}${name}`).join('\n'));
      }
    if (paths.length === 0) output.note(`No data flows from ${from} to ${to}.`);
    return paths.length === 0 ? 1 : 0;
  },
};

const sqlPlaceFlag = (name: string, description: string) =>
  ({ name, kind: 'text', value: 'NAME', description }) as const;

const lineageSql: CommandDeclaration = {
  name: 'lineage sql',
  summary: 'Tell the lineage that a script, a folder of scripts or a query log shows, and write it with --apply',
  operands: ['FILE/FOLDER'],
  flags: [
    { ...sqlPlaceFlag('service', 'database service whose tables the statements name'), isRequired: true },
    sqlPlaceFlag('database', 'database of names that have none'),
    sqlPlaceFlag('schema', 'schema of names that have none'),
    sqlPlaceFlag('dialect', 'SQL dialect; that of the service by default'),
    { name: 'apply', kind: 'switch', description: 'write edges and usage; without it nothing is changed' },
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: [
    'tributary lineage sql scripts --service warehouse_snowflake --database ANALYTICS',
    'tributary lineage sql queries.csv --service shop_postgres --database shop --schema sales --apply',
  ],
  run: async (input) => readLineageFromSql(input, await connectService(input)),
};

/** The command of two words comes before the one that its first word calls. */
export const LINEAGE_COMMANDS: readonly CommandDeclaration[] = [lineageSql, lineage, impact, path];
