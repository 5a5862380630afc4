import neo4j from 'neo4j-driver';
import * as assert from 'uvu/assert';
import { type GraphObserver, openGraph } from '../../src/graph/client.ts';
import { createFollowerReads, type LeaderQuestions } from '../../src/graph/follower-reads.ts';
import type { BoundStatement } from '../../src/graph/statement.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that routed reads see the latest write. There is no cluster here, since Neo4j Community has none: a single server
 * answers, and the tests tell the reads that it has followers. What is shown is which bookmark the reads wait for.
 */

const test = suite('graph: routing');

const uri = process.env['TEST_NEO4J_URI'] ?? '';
const user = process.env['TEST_NEO4J_USER'] ?? '';
const password = process.env['TEST_NEO4J_PASSWORD'] ?? '';

const routed = uri.replace(/^bolt/, 'neo4j');

const open = (address: string, observer?: GraphObserver) =>
  openGraph({
    ...(observer ? { observer } : {}),
    uri: address,
    user,
    password,
    database: 'neo4j',
    transactionMs: 30_000,
  });

test('reads through a routing table see previous writes', async () => {
  const graph = open(routed);
  try {
    assert.is(await graph.isReachable(), true);
    const name = uniqueName('routed');
    await graph.query('CREATE (:Routed {name: $name})', { name });
    const found = await graph.query('MATCH (n:Routed {name: $name}) RETURN n.name AS name', { name });
    assert.equal(found, [{ name }]);
    await graph.query('MATCH (n:Routed {name: $name}) DELETE n', { name });
  } finally {
    await graph.close();
  }
});

/** The number of the transaction that a bookmark stands for: an integer behind the id of the database. */
const transactionOf = (bookmark: string): number => {
  const bytes = Buffer.from(bookmark.replace(/^FB:/, ''), 'base64').subarray(19);
  const [mark = 0] = bytes;
  const widths: Readonly<Record<number, number>> = { 200: 1, 201: 2, 202: 4 };
  const width = widths[mark];
  return width === undefined ? mark : bytes.readIntBE(1, width);
};

/** What asks the leader, and the bookmarks that the reads of the same process wait for. */
type Process = LeaderQuestions & {
  readonly asked: string[];
  awaited(): Promise<number>;
  close(): Promise<void>;
};

const openProcess = (): Process => {
  const asked: string[] = [];
  const driver = neo4j.driver(routed, neo4j.auth.basic(user, password), { disableLosslessIntegers: true });
  const bookmarkManager = neo4j.bookmarkManager();
  return {
    database: 'neo4j',
    observer: { databaseCall: () => {}, batch: () => {}, queueDepth: () => {}, connections: () => {} },
    asked,
    askLeader: async ({ name, text }, params) => {
      asked.push(name);
      const session = driver.session({ defaultAccessMode: 'WRITE', bookmarkManager });
      const { records } = await session.run(text, params);
      await session.close();
      const told = name === 'graph/find_followers' ? { hasFollowers: true } : {};
      return records.map((record) => ({ ...record.toObject(), ...told }) as never);
    },
    awaited: async () => Math.max(0, ...[...(await bookmarkManager.getBookmarks())].map(transactionOf)),
    close: () => driver.close(),
  };
};

const WRITE: BoundStatement<object, { one: number }> = {
  name: 'tests/write',
  text: 'CREATE (:Routed) RETURN 1 AS one',
  checkParams: () => {},
  checkColumns: () => {},
};

test('before a read on a follower, the newest change of any process is asked for', async () => {
  const [writer, reader] = [openProcess(), openProcess()];
  try {
    const { catchUp } = createFollowerReads(reader);
    await catchUp();
    const before = await reader.awaited();
    assert.ok(before > 0, 'reads wait for no change');
    await writer.askLeader(WRITE, {});
    const written = await writer.awaited();
    assert.ok(written > before, `transaction ${written} came after ${before}`);
    await catchUp();
    assert.ok((await reader.awaited()) >= written);
    assert.equal(reader.asked, ['graph/find_followers', 'graph/read_bookmark', 'graph/read_bookmark']);
    await writer.askLeader({ ...WRITE, text: 'MATCH (n:Routed) DELETE n' }, {});
  } finally {
    await Promise.all([writer.close(), reader.close()]);
  }
});

test('reads that arrive together ask the leader once', async () => {
  const reader = openProcess();
  try {
    const { catchUp } = createFollowerReads(reader);
    await catchUp();
    reader.asked.length = 0;
    await Promise.all(Array.from({ length: 100 }, () => catchUp()));
    assert.equal(reader.asked, ['graph/read_bookmark']);
  } finally {
    await reader.close();
  }
});

test('whoever may not see the routes reads as if there were followers', async () => {
  const reader = openProcess();
  try {
    const { askLeader } = reader;
    const { catchUp } = createFollowerReads({
      ...reader,
      askLeader: (statement, params) =>
        askLeader(
          statement.name === 'graph/find_followers' ? { ...statement, text: 'CALL no.such()' } : statement,
          params,
        ),
    });
    await catchUp();
    await catchUp();
    assert.equal(reader.asked, ['graph/find_followers', 'graph/read_bookmark', 'graph/read_bookmark']);
    assert.ok((await reader.awaited()) > 0);
  } finally {
    await reader.close();
  }
});

test('a single server is asked for its followers once, and nothing more before a read', async () => {
  const calls: string[] = [];
  const observer = {
    databaseCall: (name: string) => calls.push(name),
    batch: () => {},
    queueDepth: () => {},
    connections: () => {},
  };
  const [graph, direct] = [open(routed, observer), open(uri, observer)];
  try {
    const read = { ...WRITE, name: 'tests/read', text: 'RETURN 1 AS one' };
    for (let count = 0; count < 3; count += 1) assert.equal(await graph.read(read, {}), [{ one: 1 }]);
    assert.equal(calls, ['graph/find_followers', read.name, read.name, read.name]);
    await direct.read(read, {});
    assert.equal(calls.slice(4), [read.name]);
  } finally {
    await Promise.all([graph.close(), direct.close()]);
  }
});

test('an unreachable server is reported', async () => {
  const graph = open('neo4j://127.0.0.1:9');
  try {
    assert.is(await graph.isReachable(), false);
  } finally {
    await graph.close();
  }
});

test.run();
