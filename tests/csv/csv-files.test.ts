import * as assert from 'uvu/assert';
import { CSV_LAYOUTS, layoutHeader } from '../../src/csv/layout.ts';
import {
  createDatabaseTree,
  type DatabaseTree,
  exportFile,
  type FileType,
  filePathOf,
  importFile,
  sendImport,
} from '../support/csv-files.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { anonymous, type Client, openService, type Reply, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that CSV files are received and sent by the contract, and invalid ones are refused as a whole (csv.md 1, 2, 6).
 */

const test = suite('csv: files');

let service: Service;
let admin: Client;
let tree: DatabaseTree;

test.before(async () => {
  service = await openService();
  ({ admin } = service);
  tree = await createDatabaseTree(admin);
});

const HEADER = layoutHeader(CSV_LAYOUTS.table).join(',');

const table = async () =>
  ok(await admin.get(`/v1/tables/name/${encodeURIComponent(tree.table)}?fields=tags,tableConstraints`));

/** A refused file: the shared body of errors, and what became of the file. */
const aborted = (reply: Reply, reason: RegExp, dryRun: boolean, processed = 0): void => {
  assert.is(reply.status, 400, reply.text.slice(0, 300));
  const { result, ...body } = reply.json;
  assert.equal(Object.keys(body).sort(), ['code', 'errorType', 'message']);
  assert.equal([body.code, body.errorType], [400, 'BAD_REQUEST']);
  assert.match(result.abortReason, reason);
  assert.equal(
    { ...result, abortReason: '' },
    {
      dryRun,
      status: 'aborted',
      abortReason: '',
      numberOfRowsProcessed: processed,
      numberOfRowsPassed: 0,
      numberOfRowsFailed: processed,
    },
  );
};

test('a file is plain text, or CSV on request, with the name of its asset', async () => {
  const plain = await admin.get(filePathOf('table', tree.table, 'export'));
  assert.equal(
    ['content-type', 'content-disposition', 'x-content-type-options'].map((name) => plain.headers.get(name)),
    ['text/plain; charset=UTF-8', 'attachment; filename="orders.csv"', 'nosniff'],
  );
  const csv = await admin.get(filePathOf('table', tree.table, 'export'), { accept: 'text/csv' });
  assert.is(csv.headers.get('content-type'), 'text/csv; charset=UTF-8');
  assert.is(csv.text, plain.text);
  assert.not.ok(plain.text.startsWith('\ufeff'));
});

const put = (body: string | Uint8Array, headers: Record<string, string>, query = '?dryRun=true'): Promise<Reply> =>
  admin.raw('PUT', filePathOf('table', tree.table, `import${query}`), body, headers);

test('a file may be sent as plain text or CSV in UTF-8, and in no other type', async () => {
  const types = [
    'text/csv',
    'text/plain',
    'text/plain; charset=utf-8',
    'TEXT/CSV; charset="UTF-8"',
    'text/csv; header=present',
  ];
  for (const type of types) ok(await put(`${HEADER}\r\n`, { 'content-type': type }));
  for (const type of ['application/json', 'application/octet-stream', 'text/html', 'text/csv; charset=latin1'])
    expectRefused(await put(`${HEADER}\r\n`, { 'content-type': type }), 415);
  // Bytes have no type of their own, so the request names none.
  const token = await service.token('admin');
  const untyped = await service.app.hono.request(filePathOf('table', tree.table, 'import'), {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: Buffer.from(`${HEADER}\r\n`),
  });
  assert.is(untyped.status, 415);
});

test('a file may have up to 20 MiB', async () => {
  const most = 20 * 1024 * 1024;
  expectRefused(await sendImport(admin, 'table', tree.table, 'a'.repeat(most + 1)), 413);
  // What is just short enough is a file, though none of a table.
  aborted(await sendImport(admin, 'table', tree.table, 'a'.repeat(most)), /^#INVALID_HEADER/, false, 1);
});

const FAULTS: readonly (readonly [what: string, file: string | Uint8Array, reason: RegExp, processed: number])[] = [
  ['nothing', '', /^#PARSER_FAILURE: /, 0],
  ['empty lines', '\r\n\r\n', /^#PARSER_FAILURE: /, 0],
  ['no UTF-8', Uint8Array.from([0x63, 0xff, 0xfe]), /^#PARSER_FAILURE: .*UTF-8/, 0],
  ['a NUL', `${HEADER}\r\nnew,,,,INT,,,,\0\r\n`, /^#PARSER_FAILURE: .*NUL/, 0],
  ['an open quote', `${HEADER}\r\nnew,,,,INT,,,,\r\n"x`, /^#PARSER_FAILURE: .*quote/, 0],
  ['a stray quote', `${HEADER}\r\nnew,,,,INT,,,,\r\nx"y",,,,INT,,,,`, /^#PARSER_FAILURE: .*quote/, 0],
  ['text behind a quote', `${HEADER}\r\nnew,,,,INT,,,,\r\n"x"y,,,,INT,,,,`, /^#PARSER_FAILURE: .*quote/, 0],
  ['a million cells', `${HEADER}\r\nnew,,,,INT,,,,\r\n${','.repeat(1_000_000)}`, /^#PARSER_FAILURE: .*cells/, 0],
  ['a million lines', `${HEADER}\r\nnew,,,,INT,,,,\r\n${'\r'.repeat(1_000_000)}`, /^#PARSER_FAILURE: .*lines/, 0],
  [
    'another header',
    `${layoutHeader(CSV_LAYOUTS.children)}\r\n`,
    /^#INVALID_HEADER: .*retentionPeriod.*column\.name\*/,
    1,
  ],
  [
    'another order',
    `${HEADER.replace('column.tags,column.glossaryTerms', 'column.glossaryTerms,column.tags')}`,
    /^#INVALID_HEADER/,
    1,
  ],
  ['no header', 'new,,,,INT,,,,\r\n', /^#INVALID_HEADER/, 1],
  ['JSON', '[{"name":"x"}]', /^#(PARSER_FAILURE|INVALID_HEADER)/, 0],
];

test('a file without the layout is refused as a whole and changes nothing, synchronously or by a job', async () => {
  const before = await table();
  for (const [what, file, reason, processed] of FAULTS) {
    for (const dryRun of [true, false]) {
      const reply = await put(file, { 'content-type': 'text/csv' }, `?dryRun=${dryRun}`);
      aborted(reply, reason, dryRun, processed);
    }
    const later = filePathOf('table', tree.table, 'importAsync?dryRun=false');
    const reply = await admin.raw('PUT', later, file, { 'content-type': 'text/csv' });
    aborted(reply, reason, false, processed);
    assert.ok(what);
  }
  assert.equal(await table(), before);
});

test('a file is read with any line ending, with or without a byte order mark', async () => {
  for (const end of ['\r\n', '\n', '\r']) {
    for (const [mark, last] of [
      ['', ''],
      ['\ufeff', end],
      ['', end + end],
    ] as const) {
      const text = `${mark}${HEADER}${end}id,,,,BIGINT,,,,${end}${end}name,,"x${end}y",,VARCHAR,,40,,${last}`;
      const { details, status } = await importFile(admin, 'table', tree.table, text, '');
      assert.equal([status, ...details], ['success', 'success: Entity updated', 'success: Entity updated']);
    }
  }
  const unstarred = `${HEADER.replaceAll('*', '')}\r\nid,,,,BIGINT,,,,\r\n`;
  assert.is((await importFile(admin, 'table', tree.table, unstarred, '')).status, 'success');
});

test('an import is a dry run by default, and flags are booleans', async () => {
  const before = await table();
  const file = `${HEADER}\r\nfresh,,,,INT,,,,\r\n`;
  for (const query of ['', '?dryRun=true']) {
    const { dryRun, details } = await importFile(admin, 'table', tree.table, file, query);
    assert.equal([dryRun, details], [true, ['success: Entity created']]);
  }
  expectRefused(await sendImport(admin, 'table', tree.table, file, '?dryRun=maybe'), 400);
  expectRefused(await sendImport(admin, 'table', tree.table, file, '?dryRun=false&safeCsv=maybe'), 400);
  expectRefused(await admin.get(filePathOf('database', tree.database, 'export?recursive=maybe')), 400);
  assert.equal(await table(), before);
});

test('unknown callers and assets get the usual errors', async () => {
  for (const operation of ['export', 'exportAsync', 'import', 'importAsync']) {
    const method = operation.startsWith('export') ? 'GET' : 'PUT';
    const body = method === 'PUT' ? HEADER : undefined;
    const type = { 'content-type': 'text/csv' };
    for (const place of ['table', 'databaseService', 'database', 'databaseSchema'] as FileType[]) {
      const file = body && layoutHeader(place === 'table' ? CSV_LAYOUTS.table : CSV_LAYOUTS.recursive).join(',');
      expectRefused(await anonymous(service).raw(method, filePathOf(place, tree.table, operation), file, type), 401);
      const missing = await admin.raw(method, filePathOf(place, 'no.such.thing', operation), file, type);
      expectRefused(missing, 404, `${place} instance for no.such.thing not found`);
    }
  }
  expectRefused(await admin.get('/v1/glossaries/name/x/export'), 404);
});

test('every layout is documented on all its routes', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it.
  const names = (reply: Reply): string[] => ok(reply).headers.map(({ name }: any) => name);
  const bare = (layout: (typeof CSV_LAYOUTS)[keyof typeof CSV_LAYOUTS]) => layout.fields.map(({ name }) => name);
  const at = (type: string, query = '') => admin.get(`/v1/csv/documentation/${type}${query}`);
  assert.equal(names(await at('table')), bare(CSV_LAYOUTS.table));
  assert.equal(names(await at('databaseService')), bare(CSV_LAYOUTS.recursive));
  assert.equal(names(await at('databaseService', '?recursive=false')), bare(CSV_LAYOUTS.databases));
  assert.equal(names(await at('database')), bare(CSV_LAYOUTS.children));
  assert.equal(names(await at('databaseSchema', '?recursive=true')), bare(CSV_LAYOUTS.recursive));
  for (const path of ['tables', 'services/databaseServices', 'databases', 'databaseSchemas']) {
    const { summary, headers } = ok(await admin.get(`/v1/${path}/documentation/csv`));
    assert.type(summary, 'string');
    assert.equal(Object.keys(headers[0]).sort(), ['description', 'examples', 'name', 'required']);
    assert.equal([headers[0].required, headers[1].required], [true, false]);
  }
  for (const type of ['glossary', 'team', 'nothing', '__proto__']) expectRefused(await at(type), 404);
});

test('names in paths are decoded once', async () => {
  const odd = `${tree.schema}."a%2E b/c.d"`;
  const columns = [{ name: 'x.y', dataType: 'INT' }];
  ok(await admin.post('/v1/tables', { name: 'a%2E b/c.d', databaseSchema: tree.schema, columns }), 201);
  const text = await exportFile(admin, 'table', odd);
  assert.is(text, `${HEADER}\r\n"""x.y""",,,,INT,,,,\r\n`);
  assert.is((await importFile(admin, 'table', odd, text)).status, 'success');
});

test.run();
