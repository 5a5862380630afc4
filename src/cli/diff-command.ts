import {
  type CatalogAnswer,
  type CatalogClient,
  findNamedAsset,
  type NamedAsset,
  objectOf,
  openCatalog,
  readList,
  textOf,
} from './catalog-client.ts';
import { TYPE_FLAG } from './catalog-commands.ts';
import { type CommandDeclaration, type CommandInput, JSON_FLAG, SERVICE_FLAGS } from './command.ts';
import { stripControls } from './output.ts';
import { connectService } from './service-commands.ts';

/** The command that compares the lineage of an asset at two times. */

type Period = { readonly from: string; readonly to: string };

const readPeriod = ({ text }: CommandInput): Period => ({
  from: text('from') ?? '',
  to: text('to') ?? String(Date.now()),
});

/** The names of the assets that stand around an asset at both times; a difference has only IDs of those that stayed. */
const readNames = async (
  catalog: CatalogClient,
  asset: NamedAsset,
  depth: string | undefined,
  { from, to }: Period,
): Promise<ReadonlyMap<string, string>> => {
  const graphs = await Promise.all(
    [from, to].map((asOf) =>
      catalog.readJson('lineage/graph', {
        ...asset,
        upstreamDepth: depth,
        downstreamDepth: depth,
        asOf,
        include: 'all',
      }),
    ),
  );
  const nodes = graphs.flatMap((graph) => [objectOf(graph['root']), ...readList(graph['nodes'])]);
  return new Map(
    nodes.map((node) => [
      textOf(node['id']),
      node['hidden'] === true ? '(hidden)' : stripControls(textOf(node['fullyQualifiedName'])),
    ]),
  );
};

const columnLine = ({ fromColumn, toColumn, function: made }: CatalogAnswer): string =>
  stripControls(`${textOf(fromColumn)} → ${textOf(toColumn)}${textOf(made) === '' ? '' : ` by ${textOf(made)}`}`);

/** The lines of one side: edges between assets, and below each its columns. */
const linesOf = (part: CatalogAnswer, edgeLine: (edge: CatalogAnswer) => string): readonly string[] => [
  ...readList(part['edges']).map(edgeLine).sort(),
  ...readList(part['columnEdges'])
    .map((pair) => `  ${columnLine(pair)}`)
    .sort(),
];

const diff: CommandDeclaration = {
  name: 'diff',
  summary: 'Show which lineage of an asset came, went and changed between two times',
  operands: ['FQN'],
  flags: [
    TYPE_FLAG,
    { name: 'from', kind: 'text', value: 'TIME', description: 'earlier time, such as 2026-01-31', isRequired: true },
    { name: 'to', kind: 'text', value: 'TIME', description: 'later time; now by default' },
    { name: 'depth', kind: 'number', value: 'LEVELS', fallback: '3', description: 'number of levels, both ways' },
    { name: 'exit-code', kind: 'switch', description: 'end with 1 when something differs' },
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: ['tributary diff shop_postgres.shop.sales.orders --from 2026-01-31'],
  run: async (input) => {
    const period = readPeriod(input);
    const [fqn = ''] = input.positionals;
    const { output, text } = input;
    const catalog = openCatalog(await connectService(input), 'diff');
    const asset = await findNamedAsset(catalog, fqn, text('type'));
    const depths = { upstreamDepth: text('depth'), downstreamDepth: text('depth') };
    const answer = await catalog.readJson('lineage/diff', { ...asset, ...depths, ...period });
    const [added, removed] = [objectOf(answer['added']), objectOf(answer['removed'])];
    const changed = readList(answer['changed']);
    const sizes = [added, removed].flatMap((part) => [readList(part['edges']), readList(part['columnEdges'])]);
    const isSame = [...sizes, changed].every((list) => list.length === 0);
    const code = !isSame && input.has('exit-code') ? 1 : 0;
    if (input.has('json')) {
      output.json(answer);
      return code;
    }
    const names = isSame ? new Map() : await readNames(catalog, asset, text('depth'), period);
    const nameOf = (id: unknown) => names.get(textOf(id)) ?? '(no longer there)';
    const edgeLine = ({ fromEntity, toEntity }: CatalogAnswer) => `${nameOf(fromEntity)} → ${nameOf(toEntity)}`;
    for (const line of linesOf(removed, edgeLine)) output.line(output.paint('red', `- ${line}`));
    for (const line of linesOf(added, edgeLine)) output.line(output.paint('green', `+ ${line}`));
    for (const { edge } of changed) output.line(output.paint('yellow', `~ ${edgeLine(objectOf(edge))}`));
    if (isSame) output.note('The lineage is the same at both times.');
    return code;
  },
};

export const DIFF_COMMANDS: readonly CommandDeclaration[] = [diff];
