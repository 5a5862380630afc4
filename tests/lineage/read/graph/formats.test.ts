import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, feed, type Made, mapping, openWorld, type World } from '../../fixture.ts';
import { chain, HIDING, tablesOf } from './fixture.ts';

/** Shows the export formats of a lineage graph, such as CSV and GraphML. */

const test = suite('lineage: graph formats');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const written = async ({ id }: Made, format: string, query = '', client = world.admin) => {
  const reply = await client.get(`/v1/lineage/graph?id=${id}&format=${format}${query}`);
  ok(reply);
  return { type: reply.headers.get('content-type'), text: reply.text };
};

/** Names that every format has to write in some other way than they are. */
const AWKWARD = `a <b> & 'c' #1; {x|y} 日本 🐘 \\ end`;
const SQL = 'select "x",\n  y from t where a < b & c > d';

let odd: Made;
let plain: Made;

test.before(async () => {
  const table = (name: string) =>
    world.make('tables', {
      name: uniqueName(name),
      databaseSchema: world.schemaFqn,
      columns: [column('x.y, z'), column('b')],
    });
  [odd, plain] = await Promise.all([table(`${AWKWARD}.t`), table('plain')]);
  ok(
    await feed(world.admin, odd, plain, {
      sqlQuery: SQL,
      columnsLineage: [mapping(odd, ['"x.y, z"', 'b'], plain, 'b')],
    }),
  );
});

/** Reads CSV as RFC 4180 has it. */
const readCsv = (text: string): string[][] => {
  const rows: string[][] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g;
  let row: string[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    assert.is(match.index, end, `nothing is left over before ${text.slice(end, end + 20)}`);
    end = match.index + match[0].length;
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  assert.is(end, text.length);
  return rows;
};

test('CSV has a line per edge or per pair of columns', async () => {
  const { type, text } = await written(odd, 'csv');
  assert.match(String(type), /^text\/csv/);
  const [header, ...rows] = readCsv(text);
  const named = rows.map((row) => Object.fromEntries(row.map((value, at) => [header?.[at] ?? '', value])));
  assert.is(named.length, 1);
  const [edge = {}] = named;
  assert.equal([edge['fromId'], edge['fromFullyQualifiedName']], [odd.id, odd.fullyQualifiedName]);
  assert.equal([edge['toId'], edge['toType']], [plain.id, 'table']);
  assert.equal([edge['sqlQuery'], edge['source'], edge['fromColumn']], [SQL, 'Manual', '']);
  const columns = readCsv((await written(odd, 'csv', '&columns=true')).text);
  const at = header?.indexOf('fromColumn') ?? -1;
  assert.equal(
    columns.slice(1).map((row) => row.slice(at, at + 2)),
    [
      [`${odd.fullyQualifiedName}."x.y, z"`, `${plain.fullyQualifiedName}.b`],
      [`${odd.fullyQualifiedName}.b`, `${plain.fullyQualifiedName}.b`],
    ],
  );
  const lonely = readCsv((await written(odd, 'csv', '&downstreamDepth=0')).text);
  assert.equal([lonely.length, lonely[1]?.[0], lonely[1]?.length], [2, odd.id, header?.length]);
});

const unescaped = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(
      /&(lt|gt|quot|apos);/g,
      (_, name: 'lt' | 'gt' | 'quot' | 'apos') => ({ lt: '<', gt: '>', quot: '"', apos: "'" })[name],
    )
    .replaceAll('&amp;', '&');

test('GraphML is well formed whatever characters names contain', async () => {
  const { type, text } = await written(odd, 'graphml', '&columns=true');
  assert.match(String(type), /graphml/);
  const stack: string[] = [];
  const rest = text.replace(
    /<\?xml[^>]*\?>|<(\/?)(\w+)((?: [\w.:]+="[^"<]*")*)(\/?)>/g,
    (_, end, name, _attributes, alone) => {
      if (!name) return '';
      if (end) assert.is(stack.pop(), name);
      else if (!alone) stack.push(name);
      return '';
    },
  );
  assert.equal(stack, []);
  assert.not.match(rest, /[<>]|&(?!(amp|lt|gt|quot|apos|#\d+);)/);
  const values = [...text.matchAll(/<data key="(\w+)">([^<]*)<\/data>/g)].map(([, key, value]) => [
    key,
    unescaped(value ?? ''),
  ]);
  assert.ok(values.some(([key, value]) => key === 'n_fullyQualifiedName' && value === odd.fullyQualifiedName));
  assert.ok(values.some(([key, value]) => key === 'e_sqlQuery' && value === SQL));
  assert.equal([text.match(/<node /g)?.length, text.match(/<edge /g)?.length], [2, 1]);
  assert.match(text, `<edge source="${odd.id}" target="${plain.id}">`);
});

test('a Mermaid chart has a line per record and per edge', async () => {
  const { text } = await written(odd, 'mermaid');
  const lines = text.trimEnd().split('\n');
  assert.is(lines[0], 'flowchart LR');
  assert.is(lines.length, 4);
  const labels = lines.slice(1, 3).map((line) => /^ {2}n\d+\["([^"]*)"\]$/.exec(line)?.[1] ?? '');
  for (const label of labels) assert.not.match(label, /[<>&{}|[\]\\`]/);
  const decoded = labels.map((label) =>
    label.replace(/#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
  );
  assert.equal(decoded, [odd.fullyQualifiedName, plain.fullyQualifiedName]);
  assert.is(lines[3], '  n0 --> n1');
});

test('DOT escapes quotes and backslashes', async () => {
  const { text } = await written(odd, 'dot');
  const quoted = '"((?:[^"\\\\]|\\\\.)*)"';
  const node = new RegExp(`^ {2}${quoted} \\[label=${quoted}\\];$`);
  const lines = text.trimEnd().split('\n');
  assert.equal([lines[0], lines.at(-1), lines.length], ['digraph lineage {', '}', 6]);
  const [, id, label = ''] = node.exec(lines[2] ?? '') ?? [];
  assert.equal([id, label.replace(/\\(.)/g, '$1')], [odd.id, odd.fullyQualifiedName]);
  assert.is(lines[4], `  "${odd.id}" -> "${plain.id}";`);
});

test('every format shows a hidden asset as an anonymous node only', async () => {
  const tables = await tablesOf(world, 'a', 'hidden!', 'b');
  const [{ a, b }, hidden] = [tables, tables['hidden!']];
  await chain(world.admin, a, b);
  ok(
    await feed(world.admin, a, hidden, { sqlQuery: 'select secret', columnsLineage: [mapping(a, ['a'], hidden, 'a')] }),
  );
  const caller = await rights.person([HIDING]);
  for (const format of ['json', 'csv', 'graphml', 'mermaid', 'dot']) {
    const { text } = await written(a, format, '&columns=true', caller);
    assert.not.match(text, hidden.name, format);
    assert.not.match(text, 'select secret', format);
    assert.match(text, b.name, format);
  }
  for (const format of ['csv', 'graphml', 'dot']) assert.match((await written(a, format, '', caller)).text, hidden.id);
});

test('every format says when the graph is truncated, and an unknown format is refused', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  await chain(world.admin, a, b, c);
  for (const format of ['json', 'csv', 'graphml', 'mermaid', 'dot']) {
    const reply = await world.admin.get(`/v1/lineage/graph?id=${a.id}&downstreamDepth=2&maxNodes=2&format=${format}`);
    assert.equal([reply.status, reply.headers.get('x-lineage-truncated')], [200, 'nodes']);
  }
  expectRefused(await world.admin.get(`/v1/lineage/graph?id=${a.id}&format=png`), 400, /format/);
  expectRefused(await world.admin.get(`/v1/lineage/graph?id=${a.id}&format=constructor`), 400, /format/);
});

test.run();
