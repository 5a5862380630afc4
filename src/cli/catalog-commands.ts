import { listNames, locateAsset, objectOf, openCatalog, readList, searchCatalog, textOf } from './catalog-client.ts';
import { type CommandDeclaration, type FlagDeclaration, JSON_FLAG, SERVICE_FLAGS } from './command.ts';
import { stripControls } from './output.ts';
import { connectService } from './service-commands.ts';

/** The commands that show what is in the catalog. */

export const TYPE_FLAG: FlagDeclaration = {
  name: 'type',
  kind: 'text',
  value: 'TYPE',
  description: 'type of the asset, for example table; needed where several have the name',
};

const MAX_DESCRIPTION = 80;

const shorten = (value: unknown): string => {
  const text = stripControls(textOf(value));
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text;
};

const status: CommandDeclaration = {
  name: 'status',
  summary: 'Show the service, who calls it, and how much it holds',
  flags: [JSON_FLAG, ...SERVICE_FLAGS],
  examples: ['tributary status', 'tributary status --json'],
  run: async (input) => {
    const catalog = openCatalog(await connectService(input), 'status');
    const [version, caller, counts] = await Promise.all([
      catalog.readJson('system/version'),
      catalog.readJson('users/loggedInUser'),
      catalog.readJson('search/entityTypeCounts'),
    ]);
    const buckets = readList(objectOf(objectOf(counts['aggregations'])['entityType'])['buckets']);
    const types = buckets.map((bucket) => ({ type: textOf(bucket['key']), count: Number(bucket['doc_count'] ?? 0) }));
    const facts = {
      server: catalog.server,
      version: textOf(version['version']),
      user: textOf(caller['name']),
      isAdmin: caller['isAdmin'] === true,
      assets: types.reduce((sum, { count }) => sum + count, 0),
    };
    const { output } = input;
    if (input.has('json')) output.json({ ...facts, types });
    else {
      output.line(`${output.paint('bold', 'Tributary')} ${facts.version} at ${facts.server}`);
      output.line(`You are ${stripControls(facts.user)}${facts.isAdmin ? ', an administrator' : ''}.`);
      if (facts.assets === 0) output.note('Nothing is in the catalog yet: «tributary seed» loads a sample.');
      if (types.length > 0)
        output.table(
          ['Type', 'Assets'],
          types.map(({ type, count }) => [type, count.toLocaleString('en')]),
        );
    }
    return 0;
  },
};

const search: CommandDeclaration = {
  name: 'search',
  summary: 'Find assets by words or by a query',
  operands: ['WORDS...'],
  flags: [
    { ...TYPE_FLAG, description: 'type of the assets, for example table' },
    { name: 'limit', kind: 'number', value: 'COUNT', fallback: '10', description: 'number of hits to show' },
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: ['tributary search daily revenue', 'tributary search "owner:hannah AND tier:Tier1" --type table'],
  run: async (input) => {
    const { positionals, text, has, output } = input;
    const catalog = openCatalog(await connectService(input), 'search');
    const entityType = text('type');
    const { sources, total } = await searchCatalog(catalog, {
      q: positionals.join(' '),
      size: text('limit'),
      include_source_fields: 'fullyQualifiedName,entityType,displayName,description,owners',
      ...(entityType === undefined ? {} : { query_filter: JSON.stringify({ query: { term: { entityType } } }) }),
    });
    const hits = sources.map((source) => ({
      type: textOf(source['entityType']),
      fqn: textOf(source['fullyQualifiedName']),
      owners: listNames(source['owners']),
      description: shorten(source['description']),
    }));
    if (has('json')) output.json({ total, hits });
    else {
      if (hits.length > 0)
        output.table(
          ['Type', 'Name', 'Owners', 'Description'],
          hits.map(({ type, fqn, owners, description }) => [type, fqn, owners, description]),
        );
      const more = total > hits.length ? `; --limit ${Math.min(total, 100)} shows more` : '';
      output.note(total === 0 ? 'Nothing was found.' : `${hits.length} of ${total.toLocaleString('en')}${more}`);
    }
    return total === 0 ? 1 : 0;
  },
};

/** Removes what a terminal would obey and keeps the lines of a page. */
const sanitizePage = (page: string): string =>
  page
    .split('\n')
    .map((line) => `${/^ */.exec(line)?.[0] ?? ''}${stripControls(line).trimStart()}`)
    .join('\n');

const show: CommandDeclaration = {
  name: 'show',
  summary: 'Show an asset: what it is, whose it is, its columns and neighbours',
  operands: ['FQN'],
  flags: [TYPE_FLAG, JSON_FLAG, ...SERVICE_FLAGS],
  examples: ['tributary show shop_postgres.shop.sales.orders'],
  run: async (input) => {
    const [fqn = ''] = input.positionals;
    const catalog = openCatalog(await connectService(input), 'show');
    const { collection } = await locateAsset(catalog, fqn, input.text('type'));
    const place = `${collection}/name/${encodeURIComponent(fqn)}`;
    if (input.has('json')) input.output.json(await catalog.readJson(place, { fields: '*' }));
    else input.output.line(sanitizePage(await catalog.readText(`${place}/context`)).trimEnd());
    return 0;
  },
};

export const CATALOG_COMMANDS: readonly CommandDeclaration[] = [status, search, show];
