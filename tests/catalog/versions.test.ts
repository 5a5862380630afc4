import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { createTextCopies } from '../../src/catalog/version-queries.ts';
import { deleteUnusedCopies } from '../../src/catalog/write/unused-copies.ts';
import { type Graph, openGraph } from '../../src/graph/client.ts';
import { MAX_PLAIN_LENGTH } from '../../src/graph/stored-text-format.ts';
import { createTextPacker, readStoredText } from '../../src/graph/stored-texts.ts';
import { ok } from '../support/expect.ts';
import { moment, waitFor } from '../support/patience.ts';
import { manyOr } from '../support/representatives.ts';
import {
  type Client,
  closeServiceAt,
  openService,
  openServiceAt,
  placeOfRun,
  type Service,
  uniqueName,
} from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that versions of very wide tables take little space and time. */

const test = suite('catalog: versions');

/** What is said of wide tables is said of so many columns. */
const WIDEST = 20_000;
const WIDE = manyOr(4000, WIDEST);
/** Where each edit of a wide table is made. */
const STEP = (WIDE * 3) / 20;
/** Just enough for a state that is too long to be stored as it is. */
const LONG = 250;

let service: Service;
let admin: Client;
/** A second connection, which remembers nothing of what the first has read and written. */
let cold: Graph;
let schema: string;

test.before(async () => {
  service = await openService();
  admin = service.admin;
  const { uri, user, password } = placeOfRun();
  cold = openGraph({ uri, user, password, database: 'neo4j', transactionMs: 30_000 });
  const name = uniqueName('versions');
  ok(await admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  schema = `${name}.db.public`;
});

test.after(() => cold.close());

const columnsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `column_${at}`,
    dataType: 'VARCHAR',
    dataLength: 100,
    description: `What column ${at} says of ${(at * 7919) % 10_007} things`,
  }));

const createTable = async (columns: number): Promise<{ readonly id: string; readonly name: string }> =>
  ok(
    await admin.post('/v1/tables', {
      name: uniqueName('t'),
      databaseSchema: schema,
      columns: columnsOf(columns),
    }),
    201,
  );

const describeColumn = async (client: Client, id: string, at: number, description: string) =>
  ok(
    await client.patch(`/v1/tables/${id}`, [{ op: 'add', path: `/columns/${at}/description`, value: description }], {
      'content-type': 'application/json-patch+json',
    }),
  );

const versionsOf = async (id: string, query = ''): Promise<readonly { version: number; [name: string]: unknown }[]> => {
  const answer = ok(await admin.get(`/v1/tables/${id}/versions${query}`));
  assert.equal(Object.keys(answer), ['entityType', 'versions']);
  return answer.versions.map((text: string) => JSON.parse(text));
};

/** What the store holds for the history of a record: its former states, and the copies that they are differences from. */
const storedLength = async (id: string): Promise<{ states: number; copies: number; events: number }> => {
  const [row] = await service.graph.query(
    `MATCH (n:Entity {id: $id})
     RETURN COLLECT { MATCH (n)-[:HAS_VERSION]->(v) RETURN size(v.json) } AS states,
       COLLECT { MATCH (n)-[:HAS_COPY]->(c) RETURN size(c.text) } AS copies,
       COLLECT { MATCH (n)<-[:ABOUT]-(e:ChangeEvent) RETURN size(e.json) } AS events`,
    { id },
  );
  const sum = (lengths: unknown) => (lengths as number[]).reduce((total, length) => total + length, 0);
  return { states: sum(row?.['states']), copies: sum(row?.['copies']), events: sum(row?.['events']) };
};

/** The statements that read states of records, and how often they were sent. */
const countStateReads = (): number =>
  ['catalog/version/list', 'catalog/record/read', 'graph/read_text_copy'].reduce(
    (sum, statement) => sum + service.sent(statement),
    0,
  );

/** Asks for a list of versions; answers how many states had been read when the answer began, and its beginning. */
const beginVersions = async (id: string): Promise<{ readonly text: string; readonly statesRead: number }> => {
  const before = countStateReads();
  const authorization = `Bearer ${await service.token('admin')}`;
  const response = await service.app.hono.request(`/v1/tables/${id}/versions`, { headers: { authorization } });
  const statesRead = countStateReads() - before;
  assert.is(response.status, 200);
  const reader = response.body?.getReader();
  const piece = await reader?.read();
  await reader?.cancel();
  return { text: new TextDecoder().decode(piece?.value), statesRead };
};

const MIB = 1024 * 1024;

test(`a state of ${WIDE} columns is stored once, and each edit as its difference`, async () => {
  const { id } = await createTable(WIDE);
  const edits = 5;
  for (let edit = 1; edit <= edits; edit += 1) await describeColumn(admin, id, edit * STEP, `edit ${edit}`);
  const stored = await storedLength(id);
  // One whole state is megabytes; what is stored of all of them together is less, and an edit adds a few kilobytes.
  assert.ok(stored.copies < (MIB * WIDE) / WIDEST, `the copies hold ${stored.copies} characters`);
  assert.ok(stored.states < edits * 4096, `${edits} former states hold ${stored.states} characters`);
  assert.ok(stored.events < (edits + 1) * 4096, `${edits + 1} events hold ${stored.events} characters`);

  const states = await versionsOf(id);
  assert.equal(
    states.map(({ version }) => version),
    [0.6, 0.5, 0.4, 0.3, 0.2, 0.1],
  );
  for (const { version, columns } of states) {
    const list = columns as { description: string }[];
    assert.is(list.length, WIDE);
    const made = Math.round((version - 0.1) * 10);
    for (let edit = 1; edit <= edits; edit += 1) {
      const said = list[edit * STEP]?.description ?? '';
      assert.is(said === `edit ${edit}`, edit <= made, `edit ${edit} in version ${version}: ${said}`);
    }
  }
  const third = ok(await admin.get(`/v1/tables/${id}/versions/0.3`));
  assert.equal(third, states[3]);

  assert.equal(await beginVersions(id), { text: '{"entityType":"table","versions":[', statesRead: 0 });
  assert.equal(
    (await versionsOf(id, '?limit=2&offset=3')).map(({ version }) => version),
    [0.3, 0.2],
  );

  const events = ok(await admin.get(`/v1/events?entityId=${id}`)).data;
  assert.is(events.length, edits + 1);
  for (const { currentVersion, entity } of events) {
    const state = states.find(({ version }) => version === currentVersion);
    assert.equal(entity, state);
  }
  ok(await admin.delete(`/v1/tables/${id}?hardDelete=true`));
});

/** Stores a text among the copies of a record, as a write does. */
const storeText = async (id: string, text: string): Promise<string> => {
  const packing = await createTextPacker(service.graph, id, true);
  const stored = await packing.pack(text);
  const rows = packing.copies().map((copy, at) => ({ entityId: id, copy, at }));
  if (rows.length > 0) await service.graph.write((transaction) => transaction.run(createTextCopies, { rows }));
  return stored;
};

test('1,000 edits of 20,000 columns take less than 50 MB', async () => {
  // Patching is measured elsewhere: here only what is stored counts, for one edit in ten of a thousand.
  const { id } = await createTable(1);
  const columns = columnsOf(WIDE).map((column) => ({ ...column, fullyQualifiedName: `${schema}.t.${column.name}` }));
  const edits = 100;
  const kept: { readonly stored: string; readonly text: string }[] = [];
  for (let edit = 0; edit < edits; edit += 1) {
    const at = (edit * 7919) % WIDE;
    columns[at] = {
      ...(columns[at] ?? columns[0]),
      description: `${randomUUID()} ${randomUUID()}`,
    } as (typeof columns)[0];
    const text = JSON.stringify({ id, version: edit / 10, updatedAt: Date.now(), columns });
    kept.push({ stored: await storeText(id, text), text: edit % 20 === 0 ? text : '' });
  }
  const { copies } = await storedLength(id);
  const states = kept.reduce((sum, { stored }) => sum + stored.length, 0);
  const held = copies * (WIDEST / WIDE) + states;
  assert.ok(held * 10 < 50 * MIB, `${edits} edits of ${WIDEST} columns hold ${held} characters`);
  for (const { stored, text } of kept) if (text) assert.ok((await readStoredText(cold, stored)) === text);
});

/** Whole states grow with the columns of a table; what one edit says does not. */
const SCALED = 2000;
const EDITS = 30;
const PAGE = 20;

test('an edit of a wide table stores little, and a page of versions is read in few statements', async () => {
  const { id } = await createTable(SCALED);
  await describeColumn(admin, id, 0, 'the first edit stores a whole state');
  const before = await storedLength(id);
  for (let edit = 0; edit < EDITS; edit += 1) {
    await describeColumn(admin, id, (edit * 7919) % SCALED, `${randomUUID()} ${randomUUID()}`);
  }
  const after = await storedLength(id);
  const copies = (after.copies - before.copies) * (WIDEST / SCALED);
  const each = (copies + after.states - before.states + after.events - before.events) / EDITS;
  assert.ok(each < (50 * MIB) / 1000, `an edit of ${WIDEST} columns stores ${Math.round(each)} characters`);

  const sent = service.sent('catalog/version/list');
  assert.is(ok(await admin.get(`/v1/tables/${id}/versions?limit=${PAGE}`)).versions.length, PAGE);
  const lists = service.sent('catalog/version/list') - sent;
  assert.ok(lists <= 3, `a page of ${PAGE} versions was read in ${lists} statements`);
  ok(await admin.delete(`/v1/tables/${id}?hardDelete=true`));
});

const randomBy = (seed: number) => {
  let state = seed >>> 0;
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

test('every version of a record is read back exactly after edits, deletion and restore', async () => {
  const { id } = await createTable(1);
  const random = randomBy(7);
  let columns: object[] = columnsOf(LONG);
  const kept: { readonly stored: string; readonly text: string }[] = [];
  for (let edit = 0; edit < 250; edit += 1) {
    const at = random(columns.length);
    const roll = random(100);
    if (roll < 60)
      columns = columns.with(at, { ...columns[at], description: '名前 "\\ 🙂 __proto__'.repeat(random(5)) });
    else if (roll < 75) columns = [...columns.slice(at), ...columns.slice(0, at)];
    else if (roll < 85)
      columns = columns.toSpliced(at, 1, { name: `new_${edit}`, dataType: 'INT', scale: random(1e9) / 7 });
    else if (roll < 98) columns = columns.map((column) => (random(3) ? column : { ...column, note: randomUUID() }));
    else columns = columnsOf(LONG);
    const text = `{"id":"${id}","__proto__":{"a":${edit}},"columns":${JSON.stringify(columns)}}`;
    assert.ok(text.length > MAX_PLAIN_LENGTH);
    kept.push({ stored: await storeText(id, text), text });
  }
  for (const { stored, text } of kept) assert.ok((await readStoredText(cold, stored)) === text);
  const [row] = await service.graph.query(
    `MATCH (:Entity {id: $id})-[:HAS_COPY]->(c)
     RETURN max(c.depth) AS depth, count(CASE WHEN c.depth = 0 THEN 1 END) AS whole, count(c) AS all`,
    { id },
  );
  const { depth, whole, all } = row as { depth: number; whole: number; all: number };
  assert.ok(depth > 0 && depth <= 8, `copies are ${depth} differences deep`);
  assert.ok(whole > 1 && whole < all, `${whole} of ${all} copies are whole`);
});

test('concurrent writers in two processes lose no version', async () => {
  const { id } = await createTable(LONG);
  const other = await openServiceAt(placeOfRun());
  const writers = [0, 1, 2, 3].map(async (writer) => {
    for (let edit = 0; edit < 5; edit += 1) {
      for (;;) {
        const answer = await (writer % 2 ? admin : other.admin).patch(
          `/v1/tables/${id}`,
          [{ op: 'add', path: `/columns/${writer * 50 + edit}/description`, value: `${writer} ${edit}` }],
          { 'content-type': 'application/json-patch+json' },
        );
        if (answer.status === 200) break;
        assert.is(answer.status, 409);
      }
    }
  });
  // What nobody locks against: events of the same record that step no version.
  const me = ok(await admin.get('/v1/users/name/admin')).id;
  for (let time = 0; time < 5; time += 1) {
    ok(await admin.put(`/v1/tables/${id}/followers`, me));
    ok(await admin.delete(`/v1/tables/${id}/followers/${me}`));
  }
  await Promise.all(writers).finally(() => closeServiceAt(other));
  const states = await versionsOf(id);
  assert.is(states.length, 21);
  assert.is(new Set(states.map(({ version }) => version)).size, 21);
  // An event is listed when it has its number.
  const count = async () => ok(await admin.get(`/v1/events?entityId=${id}&limit=1000`)).data.length;
  assert.is(await waitFor(count, (found) => found >= 31, 'all events are listed'), 31);
});

test('versions that an older release stored in full are read too', async () => {
  const { id, name } = await createTable(LONG);
  await describeColumn(admin, id, 1, 'one');
  const [old] = await versionsOf(id, '?offset=1');
  await service.graph.query('MATCH (:Entity {id: $id})-[:HAS_VERSION]->(v) SET v.json = $json', {
    id,
    json: JSON.stringify({ ...old, forgottenMember: 1 }),
  });
  await describeColumn(admin, id, 2, 'two');
  const states = await versionsOf(id);
  assert.equal(
    states.map(({ version }) => version),
    [0.3, 0.2, 0.1],
  );
  assert.equal(states[2], old);
  assert.is(states[2]?.['name'], name);
});

test('pages of versions are validated and continue where the previous one ended', async () => {
  const { id } = await createTable(2);
  for (let edit = 0; edit < 12; edit += 1) await describeColumn(admin, id, 0, `edit ${edit}`);
  const all = (await versionsOf(id)).map(({ version }) => version);
  assert.is(all.length, 13);
  const paged: number[] = [];
  for (let offset = 0; offset < 15; offset += 5) {
    paged.push(...(await versionsOf(id, `?limit=5&offset=${offset}`)).map(({ version }) => version));
  }
  assert.equal(paged, all);
  assert.equal(await versionsOf(id, '?offset=13'), []);
  for (const bad of ['limit=0', 'limit=x', 'offset=-1', 'limit=1.5']) {
    assert.is((await admin.get(`/v1/tables/${id}/versions?${bad}`)).status, 400, bad);
  }
  assert.is((await admin.get(`/v1/tables/${randomUUID()}/versions`)).status, 404);
  assert.is((await admin.get(`/v1/databases/${id}/versions`)).status, 404);
});

test('old versions keep their names when an ancestor is renamed, and deletion and restore are versions', async () => {
  const { id, name } = await createTable(LONG);
  await describeColumn(admin, id, 1, 'one');
  ok(await admin.delete(`/v1/tables/${id}`));
  ok(await admin.put('/v1/tables/restore', { id }));
  const states = await versionsOf(id);
  assert.equal(
    states.map(({ deleted }) => deleted),
    [false, true, false, false],
  );
  assert.equal(new Set(states.map(({ fullyQualifiedName }) => fullyQualifiedName)), new Set([`${schema}.${name}`]));
});

const countCopies = async (id: string): Promise<unknown> =>
  (await service.graph.query('MATCH (c:TextCopy {entityId: $id}) RETURN count(c) AS copies', { id }))[0]?.['copies'];

test('events are complete after their record is removed, and unneeded copies are deleted', async () => {
  const { id } = await createTable(LONG);
  await describeColumn(admin, id, 1, 'one');
  ok(await admin.delete(`/v1/tables/${id}?hardDelete=true`));
  const sweep = async () => {
    await deleteUnusedCopies(service.graph, Date.now(), { graceMs: 0, batch: 7 });
    await moment();
  };
  await sweep();
  await sweep();
  await waitForSequencing(service);
  const told = ok(await admin.get(`/v1/events?entityId=${id}`)).data;
  assert.equal(
    told.map(({ eventType, entity }: { eventType: string; entity: { columns: object[] } }) => [
      eventType,
      entity.columns.length,
    ]),
    [
      ['entityCreated', LONG],
      ['entityUpdated', LONG],
      ['entityDeleted', LONG],
    ],
  );
  assert.ok(Number(await countCopies(id)) > 0);
  await service.graph.query('MATCH (e:ChangeEvent {entityId: $id}) DETACH DELETE e', { id });
  for (let round = 0; round < 3; round += 1) await sweep();
  assert.is(await countCopies(id), 0);
});

test.run();
