import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { type Graph, openGraph } from '../../src/graph/client.ts';
import { type Committer, createCommitter, type WriteRequest, type WriteStep } from '../../src/graph/group-commit.ts';
import { waitUntil } from '../support/patience.ts';
import { openService, placeOfRun } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that concurrent writes share a transaction and fail independently. */

const test = suite('graph: group commit');

const TRANSACTION_MS = 1500;

let graph: Graph;
/** The sizes of all batches that were sent since the last look. */
let batches: number[] = [];

test.before(async () => {
  // The schema is there when the service has been opened.
  await openService();
  const { uri, user, password } = placeOfRun();
  const observer = {
    databaseCall: () => {},
    batch: (_: string, size: number) => batches.push(size),
    queueDepth: () => {},
    connections: () => {},
  };
  graph = openGraph({ uri, user, password, database: 'neo4j', transactionMs: TRANSACTION_MS, observer });
});

test.after(async () => {
  await graph.query('MATCH (n:LaneProbe) DETACH DELETE n');
  await graph.close();
});

/** Writes a node per row, in the order in which they are written, and takes as long as the row says. */
const statement: WriteStep['statement'] = {
  name: 'test/lane_probe',
  text: `UNWIND $rows AS row
    CALL (row) { UNWIND range(1, row.work) AS one RETURN count(one % 7) AS done }
    CREATE (n:LaneProbe {id: row.id, key: row.key, run: row.run, at: timestamp()})
    RETURN row.at AS at`,
  checkParams: () => {},
  checkColumns: () => {},
};

const FOREVER = 1_000_000_000_000;
/** Some ten milliseconds, so that writes behind it would overtake it if they could. */
const LONG = 300_000;

type Probe = { readonly run: string; readonly key?: string; readonly work?: number; readonly heavy?: boolean };

const probe = ({ run, key = randomUUID(), work = 0, heavy = false }: Probe): WriteRequest => ({
  keys: [key],
  steps: [{ statement, order: 1, rows: [{ id: randomUUID(), key, run, work }] }],
  ...(heavy ? { weight: 20_000 } : {}),
});

const written = async (run: string): Promise<number> =>
  (await graph.query('MATCH (n:LaneProbe {run: $run}) RETURN count(n) AS count', { run }))[0]?.['count'] as number;

const orderOf = async (
  run: string,
  name: string,
  commit: (write: WriteRequest) => Promise<void>,
  write: WriteRequest,
  into: string[],
) => {
  await commit(write);
  into.push(name);
  return run;
};

/** A graph whose transactions of some turns, counted from 0, wait until they are let go. */
const holdTransactions = (isHeld: (turn: number) => boolean) => {
  let turns = 0;
  let held = 0;
  let letGo = () => {};
  const going = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const holding: Graph = {
    ...graph,
    write: async (work) => {
      const turn = turns;
      turns += 1;
      if (isHeld(turn)) {
        held += 1;
        await going;
      }
      return graph.write(work);
    },
  };
  return { holding, held: () => held, letGo };
};

test('writes do not wait for a large one', async () => {
  const { holding, held, letGo } = holdTransactions((turn) => turn === 0);
  const commit = createCommitter(holding);
  const run = randomUUID();
  const giant = commit(probe({ run, heavy: true }));
  await waitUntil(() => held() === 1, 'the heavy write is under way');
  for (let one = 0; one < 5; one += 1) await commit(probe({ run }));
  assert.is(await written(run), 5);
  letGo();
  await giant;
  assert.is(await written(run), 6);
});

test('writes on one record keep their order across the lanes', async () => {
  const commit = createCommitter(graph);
  const run = randomUUID();
  const key = randomUUID();
  const done: string[] = [];
  const sent = [
    orderOf(run, 'light 1', commit, probe({ run, key }), done),
    orderOf(run, 'heavy 2', commit, probe({ run, key, work: LONG, heavy: true }), done),
    orderOf(run, 'light 3', commit, probe({ run, key }), done),
    orderOf(run, 'other', commit, probe({ run }), done),
    orderOf(run, 'heavy 4', commit, probe({ run, key, work: LONG, heavy: true }), done),
    orderOf(run, 'light 5', commit, probe({ run, key }), done),
  ];
  await Promise.all(sent);
  assert.equal(
    done.filter((name) => name !== 'other'),
    ['light 1', 'heavy 2', 'light 3', 'heavy 4', 'light 5'],
  );
  assert.ok(done.indexOf('other') < done.indexOf('light 5'));
});

type Outcome = { acknowledged: number; refused: number; times: number };

/** Sends writes that all get into one batch, and counts what becomes of each. */
const sendTogether = async (commit: Committer, writes: readonly WriteRequest[]): Promise<readonly Outcome[]> => {
  const outcomes = writes.map((): Outcome => ({ acknowledged: 0, refused: 0, times: 0 }));
  await Promise.all(
    writes.map(async (write, at) => {
      const outcome = outcomes[at] as Outcome;
      try {
        await commit(write);
        outcome.acknowledged += 1;
      } catch {
        outcome.refused += 1;
      }
    }),
  );
  return outcomes;
};

test('a write that times out fails alone after a bounded number of attempts', async () => {
  // The two halves of the batch are tried again in the second and third transaction.
  const { holding, held, letGo } = holdTransactions((turn) => turn === 1 || turn === 2);
  const commit = createCommitter(holding);
  const run = randomUUID();
  batches = [];
  const count = 8;
  const sending = sendTogether(
    commit,
    Array.from({ length: count }, (_, at) => probe({ run, work: at === 3 ? FOREVER : 0 })),
  );
  // While the halves are tried again, others go on.
  await waitUntil(() => held() === 2, 'the halves are tried again');
  const other = randomUUID();
  await commit(probe({ run: other }));
  assert.is(await written(other), 1);
  assert.is(await written(run), 0);
  letGo();
  const outcomes = await sending;
  assert.is(outcomes.filter(({ acknowledged }) => acknowledged === 1).length, count - 1);
  assert.equal(
    outcomes.flatMap(({ refused }, at) => (refused ? [at] : [])),
    [3],
  );
  assert.is(await written(run), count - 1);
  assert.ok(batches.length <= 2 * count + 1, `${batches.length} batches`);
  assert.is(Math.max(...batches), count, `the writes went in batches of ${batches}`);
});

test('parts of a batch are retried a bounded number of times', async () => {
  const commit = createCommitter(graph, { maxAgainMs: 500 });
  const run = randomUUID();
  batches = [];
  const outcomes = await sendTogether(
    commit,
    Array.from({ length: 16 }, () => probe({ run, work: FOREVER })),
  );
  assert.ok(outcomes.every(({ refused }) => refused === 1));
  assert.is(await written(run), 0);
  assert.ok(batches.length <= 3, `${batches.length} batches`);
});

test('records of a failed batch are free for later writes', async () => {
  const commit = createCommitter(graph, { maxAgainMs: 0 });
  const run = randomUUID();
  const key = randomUUID();
  const [bad] = await sendTogether(commit, [probe({ run, key, work: FOREVER })]);
  assert.is(bad?.refused, 1);
  await commit(probe({ run, key }));
  await commit(probe({ run, key, heavy: true }));
  assert.is(await written(run), 2);
});

test('a write that may have been committed before its batch was split is not repeated', async () => {
  // A store that has done the work and says that it took too long: the worst answer that a lost commit can look like.
  const run = randomUUID();
  let failures = 0;
  const lying: Graph = {
    ...graph,
    write: async (work) => {
      const answer = await graph.write(work);
      if (failures > 0) return answer;
      failures += 1;
      await graph.write((transaction) => transaction.run(endless, {}));
      return answer;
    },
  };
  const endless = {
    name: 'test/endless',
    text: 'UNWIND range(1, 1000000000000) AS one RETURN count(one % 7) AS done',
    checkParams: () => {},
    checkColumns: () => {},
  };
  const commit = createCommitter(lying);
  const outcomes = await sendTogether(
    commit,
    Array.from({ length: 4 }, () => toldProbe(run)),
  );
  assert.ok(outcomes.every(({ acknowledged }) => acknowledged === 1));
  assert.is(failures, 1);
  assert.is(await written(run), 4);
  await graph.query('MATCH (e:ChangeEvent {userName: $run}) DELETE e', { run });
});

/** A write that leaves a receipt, as every write of a record does. */
const toldProbe = (run: string): WriteRequest => {
  const event = { id: randomUUID(), userName: run };
  const told: WriteStep['statement'] = {
    ...statement,
    name: 'test/told_probe',
    text: `UNWIND $rows AS row CREATE (:ChangeEvent {id: row.event.id, userName: row.event.userName})
      CREATE (:LaneProbe {id: row.event.id, run: row.event.userName}) RETURN row.at AS at`,
  };
  return { keys: [event.id], steps: [{ statement: told, order: 1, rows: [{ event }] }] };
};

test.run();
