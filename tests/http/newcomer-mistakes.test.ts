import * as assert from 'uvu/assert';
import { openWorld, type World } from '../lineage/fixture.ts';
import { strayId } from '../support/samples.ts';
import { anonymous, type Client, type Reply, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that the mistakes that newcomers make are answered by what is wrong, and by what to do where the service can
 * know it.
 */

const test = suite('http: mistakes of a newcomer');

type Table = { readonly id: string; readonly name: string; readonly fullyQualifiedName: string };

type Mistake = {
  readonly what: string;
  readonly send: () => Promise<Reply>;
  readonly status: number;
  /** What the message or a header that helps has to say. */
  readonly says: readonly (() => string | RegExp)[];
};

let world: World;
let table: Table;
let other: Table;
let stranger: Client;

test.before(async () => {
  world = await openWorld();
  table = await world.table('orders');
  other = await world.table('daily');
  stranger = anonymous(world.service);
});

const PATCH = 'application/json-patch+json';
const raw = (method: string, path: string, body: string, type = 'application/json') =>
  world.admin.raw(method, path, body, { 'content-type': type });
const path = () => `/v1/tables/${table.id}`;
const shouted = () => table.fullyQualifiedName.toUpperCase();
const body = (more: object = {}) => ({ name: uniqueName('t'), databaseSchema: world.schemaFqn, columns: [], ...more });
const column = (more: object) => ({ name: 'id', dataType: 'INT', ...more });
const edge = (more: object = {}) => ({
  edge: { fromEntity: { id: table.id, type: 'table' }, toEntity: { id: other.id, type: 'table' }, ...more },
});

const mistake = (
  what: string,
  send: () => Promise<Reply>,
  status: number,
  ...says: readonly (RegExp | (() => string | RegExp))[]
): Mistake => ({ what, send, status, says: says.map((one) => (typeof one === 'function' ? one : () => one)) });

const MISTAKES: readonly Mistake[] = [
  // Who asks.
  mistake('no token', () => stranger.get('/v1/tables'), 401, /token/i),
  mistake('a token that is none', () => withToken(world.service, 'abc').get('/v1/tables'), 401, /token/i),
  mistake(
    'a token with the scheme written into it',
    () => stranger.get('/v1/tables', { authorization: 'abc.def.ghi' }),
    401,
    /Bearer/,
  ),
  // Where it is asked.
  mistake('the API without its version', () => world.admin.get('/tables'), 404, /Did you mean \/v1\/tables\?/),
  mistake('the name of a kind in the singular', () => world.admin.get('/v1/table'), 404, /\/v1\/tables/),
  mistake('a slash too many, which does no harm', () => world.admin.get('/v1/tables/'), 200, /"data"/),
  mistake('an operation that does not exist', () => world.admin.put(`${path()}`, body()), 405, /GET|PATCH|DELETE/),
  mistake(
    'a name where an ID is asked',
    () => world.admin.get(`/v1/tables/${table.fullyQualifiedName}`),
    404,
    /\/v1\/tables\/name\//,
  ),
  mistake('an ID where a name is asked', () => world.admin.get(`/v1/tables/name/${table.id}`), 404, /not found/),
  mistake('an ID of nothing', () => world.admin.get(`/v1/tables/${strayId()}`), 404, /not found/),
  mistake(
    'a name in capital letters',
    () => world.admin.get(`/v1/tables/name/${shouted()}`),
    404,
    () => `Did you mean ${table.fullyQualifiedName}`,
  ),
  mistake(
    'the name of a table alone',
    () => world.admin.get(`/v1/tables/name/${table.name}`),
    404,
    () => `table instance for ${table.name} not found`,
  ),
  mistake('an ID of another kind', () => world.admin.get(`/v1/topics/${table.id}`), 404, /^.*topic instance/),
  // How it is asked.
  mistake(
    'a parameter with a typing error',
    () => world.admin.get(`/v1/lineage/graph?id=${table.id}&depht=2`),
    400,
    /depht/,
    /[dD]epth/,
  ),
  mistake(
    'a depth in words',
    () => world.admin.get(`/v1/lineage/graph?id=${table.id}&downstreamDepth=two`),
    400,
    /downstreamDepth/,
  ),
  mistake(
    'a depth beyond the bound',
    () => world.admin.get(`/v1/lineage/graph?id=${table.id}&downstreamDepth=9999`),
    400,
    /downstreamDepth/,
    /\d/,
  ),
  mistake('a page that is too large', () => world.admin.get('/v1/tables?limit=100000000'), 400, /limit/, /\d/),
  mistake('a cursor of somebody else', () => world.admin.get('/v1/tables?after=x'), 400, /after|cursor/i),
  mistake('a field that does not exist', () => world.admin.get(`${path()}?fields=owner`), 400, /owner/, /owners/),
  mistake(
    'a date in words',
    () => world.admin.get(`/v1/lineage/graph?id=${table.id}&asOf=yesterday`),
    400,
    /asOf/,
    /2\d{3}-/,
  ),
  mistake(
    'a field of the search with a typing error',
    () => world.admin.get('/v1/search/query?q=ownr:mei'),
    200,
    /owners/,
  ),
  // What is sent.
  mistake('no body', () => world.admin.raw('POST', '/v1/tables', undefined), 400, /body/i),
  mistake('text that is no JSON', () => raw('POST', '/v1/tables', '{name: orders}'), 400, /JSON/),
  mistake(
    'YAML where JSON is asked',
    () => raw('POST', '/v1/tables', 'name: orders\n', 'text/yaml'),
    415,
    /application\/json/,
  ),
  mistake(
    'a member with a typing error',
    () => world.admin.post('/v1/tables', body({ descripton: 'x' })),
    400,
    /descripton/,
    /description/,
  ),
  mistake(
    'a required member left out',
    () => world.admin.post('/v1/tables', { name: 'x', columns: [] }),
    400,
    /databaseSchema/,
  ),
  mistake(
    'a type of columns that does not exist',
    () => world.admin.post('/v1/tables', body({ columns: [column({ dataType: 'INTEGER' })] })),
    400,
    /columns\.0\.dataType must be one of .*\bINT\b/,
  ),
  mistake(
    'two columns of one name',
    () => world.admin.post('/v1/tables', body({ columns: [column({}), column({})] })),
    400,
    /id/,
  ),
  mistake(
    'a schema that does not exist',
    () => world.admin.post('/v1/tables', body({ databaseSchema: 'no.such.schema' })),
    404,
    /no\.such\.schema/,
  ),
  mistake(
    'a table that is there already',
    () => world.admin.post('/v1/tables', body({ name: table.name })),
    409,
    /PUT \/v1\/tables/,
  ),
  mistake('an owner by name', () => world.admin.post('/v1/tables', body({ owners: ['admin'] })), 400, /owners/),
  mistake(
    'an owner of a kind that owns nothing',
    () => world.admin.post('/v1/tables', body({ owners: [{ id: table.id, type: 'table' }] })),
    400,
    /user|team/,
  ),
  mistake(
    'a tag that does not exist',
    () =>
      world.admin.post(
        '/v1/tables',
        body({ tags: [{ tagFQN: 'PII.Secret', source: 'Classification', labelType: 'Manual', state: 'Confirmed' }] }),
      ),
    404,
    /PII\.Secret/,
  ),
  mistake('a name with an empty text', () => world.admin.post('/v1/tables', body({ name: '' })), 400, /name/),
  // Changes.
  mistake(
    'a patch that is no list, which is merged',
    () => raw('PATCH', path(), '{"description": "x"}', PATCH),
    200,
    /"newValue":"x"/,
  ),
  mistake(
    'a patch of a member that is not there',
    () => raw('PATCH', path(), '[{"op": "replace", "path": "/descripton", "value": "x"}]', PATCH),
    400,
    /descripton/,
  ),
  mistake(
    'a patch without an operation',
    () => raw('PATCH', path(), '[{"path": "/description", "value": "x"}]', PATCH),
    400,
    /op/,
  ),
  mistake(
    'a stale ETag',
    () => world.admin.raw('PATCH', path(), '[]', { 'content-type': PATCH, 'if-match': '"old"' }),
    412,
    /W?\/?"/,
  ),
  mistake(
    'the ID of a record changed, which stays',
    () => raw('PATCH', path(), JSON.stringify([{ op: 'replace', path: '/id', value: strayId() }]), PATCH),
    200,
    () => `"id":"${table.id}"`,
  ),
  // Lineage.
  mistake('an edge without its frame', () => world.admin.put('/v1/lineage', edge().edge), 400, /edge/),
  mistake(
    'an edge by names without a kind',
    () =>
      world.admin.put('/v1/lineage', {
        edge: {
          fromEntity: { fullyQualifiedName: table.fullyQualifiedName },
          toEntity: { id: other.id, type: 'table' },
        },
      }),
    400,
    /type/,
  ),
  mistake(
    'an edge from a table to itself',
    () => world.admin.put('/v1/lineage', edge({ toEntity: { id: table.id, type: 'table' } })),
    400,
    /itself|same/i,
  ),
  mistake(
    'an edge of columns that are not there',
    () =>
      world.admin.put(
        '/v1/lineage',
        edge({
          lineageDetails: {
            columnsLineage: [
              { fromColumns: [`${table.fullyQualifiedName}.nope`], toColumn: `${other.fullyQualifiedName}.id` },
            ],
          },
        }),
      ),
    200,
    /nope/,
  ),
  mistake(
    'lineage of a kind in the plural',
    () => world.admin.get(`/v1/lineage/tables/${table.id}`),
    400,
    /Entity type tables is not known/,
  ),
  mistake(
    'the name of a table in capital letters',
    () => world.admin.get(`/v1/lineage/table/name/${shouted()}`),
    404,
    () => table.fullyQualifiedName,
  ),
  // Files.
  mistake(
    'a CSV with another header',
    () =>
      world.admin.raw('PUT', `/v1/databaseSchemas/name/${world.schemaFqn}/import?dryRun=true`, 'name;type\nx;y\n', {
        'content-type': 'text/plain',
      }),
    400,
    /the header is \[name;type\] but must be \[name\*/,
  ),
  mistake(
    'an ODCS document that is none',
    () => raw('POST', '/v1/dataContracts/odcs/parse/yaml', 'hello: world\n', 'text/yaml'),
    400,
    /apiVersion/,
  ),
];

const HELPING = [
  'x-hint',
  'allow',
  'accept',
  'accept-patch',
  'etag',
  'x-lineage-unknown-columns',
  'www-authenticate',
  'location',
];

const toldBy = (reply: Reply): string =>
  [reply.text, ...HELPING.flatMap((name) => reply.headers.get(name) ?? [])].join('\n');

for (const { what, send, status, says } of MISTAKES) {
  test(what, async () => {
    const reply = await send();
    const told = toldBy(reply);
    assert.is(reply.status, status, told.slice(0, 1000));
    for (const say of says) {
      const wanted = say();
      assert.ok(
        typeof wanted === 'string' ? told.includes(wanted) : wanted.test(told),
        `${wanted}: ${told.slice(0, 1000)}`,
      );
    }
  });
}

test.run();
