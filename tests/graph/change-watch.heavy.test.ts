import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type ChangeWatch, createChangeWatch } from '../../src/graph/change-watch.ts';
import { startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import type { BoundStatement } from '../../src/graph/statement.ts';
import { ok } from '../support/expect.ts';
import { confirmAnswers } from '../support/kept-answers.ts';
import { waitFor } from '../support/patience.ts';
import { copyPreparedHome } from '../support/prepared-home.ts';
import { closeServiceAt, openServiceAt, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that an unchanged store is recognised, and that nothing that was read before a change is taken for current after
 * it, whoever made the change. The store belongs to this file, so that it is quiet at times.
 */

const test = suite('graph: watch for changes');

let folder: string;
let stop: () => Promise<void>;
let service: Service;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-watch-'));
  const home = join(folder, 'home');
  await copyPreparedHome(home);
  const server = await startEmbeddedServer({ home, heap: '512m', pagecache: '64m', report: () => {} });
  stop = server.stop;
  service = await openServiceAt({ home, uri: server.uri, user: server.user, password: server.password });
});

test.after(async () => {
  await closeServiceAt(service);
  await stop();
  await rm(folder, { recursive: true, force: true });
});

const readCounters: BoundStatement<object, { values: readonly number[] }> = {
  name: 'tests/read_counters',
  text: 'MATCH (n:Counter) WITH n ORDER BY n.at RETURN collect(n.value) AS values',
  checkParams: () => {},
  checkColumns: () => {},
};

const WRITERS = [0, 1, 2, 3];

/** Longer than the watch expects another change after one. */
const QUIET_MS = 150;

/** Waits until the store has been quiet, and returns the bookmark of its newest change. */
const waitForQuiet = async (watch: ChangeWatch): Promise<string> => {
  const readNewest = async (): Promise<string | undefined> => {
    const bookmark = watch.settled();
    return bookmark !== undefined && (await watch.isNewest(bookmark)) ? bookmark : undefined;
  };
  return waitFor(readNewest, (bookmark) => bookmark !== undefined, 'the store is quiet');
};

test('the newest change is another one after every write, and stays the same in between', async () => {
  const watch = createChangeWatch(service.graph);
  let repeated = 0;
  for (let round = 0; round < 10; round += 1) {
    const before = await waitForQuiet(watch);
    // A lease may be renewed in between.
    if (await watch.isNewest(before)) repeated += 1;
    await service.graph.query('CREATE (:Watched)');
    assert.is(await watch.isNewest(before), false);
  }
  assert.ok(repeated >= 5, `${repeated} of 10 times`);
});

test('callers that arrive together ask once, and no change has settled that was seen just now', async () => {
  const watch = createChangeWatch(service.graph);
  const asked = () => service.sent('graph/read_bookmark');
  const bookmark = await waitForQuiet(watch);
  const before = asked();
  await Promise.all(Array.from({ length: 100 }, () => watch.isNewest(bookmark)));
  assert.is(asked() - before, 1);
  await service.graph.query('CREATE (:Watched)');
  await watch.isNewest(bookmark);
  assert.is(watch.settled(), undefined);
  await sleep(QUIET_MS);
  assert.is.not(watch.settled(), bookmark);
});

/** Writes a counter together with much else, so that its commit takes a while, and tells what is written. */
const count = async (at: number, written: number[], times: number): Promise<void> => {
  for (let value = 1; value <= times; value += 1) {
    await service.graph.query(
      `MERGE (n:Counter {at: $at}) SET n.value = $value
       WITH n UNWIND range(1, 3000) AS i CREATE (:Ballast {at: i, text: toString(i)})`,
      { at, value },
    );
    written[at] = value;
    await sleep(QUIET_MS * 4 * Math.random());
  }
};

test('what was read after a change is current as long as that is the newest one, while others commit', async () => {
  const watch = createChangeWatch(service.graph);
  await Promise.all(WRITERS.map((at) => service.graph.query('MERGE (n:Counter {at: $at}) SET n.value = 0', { at })));
  const written = WRITERS.map(() => 0);
  let isOver = false;
  let taken = 0;
  const readers = WRITERS.map(async () => {
    const kept = new Map<string, readonly number[]>();
    while (!isOver) {
      const least = [...written];
      const bookmark = watch.settled();
      let values = bookmark === undefined ? undefined : kept.get(bookmark);
      if (bookmark === undefined) await sleep(1);
      else if (values && (await watch.isNewest(bookmark))) taken += 1;
      else {
        values = (await service.graph.read(readCounters, {}, { after: [bookmark] }))[0]?.values ?? [];
        kept.set(bookmark, values);
      }
      if (values === undefined) continue;
      assert.ok(
        least.every((value, at) => (values[at] ?? -1) >= value),
        `read ${values} after ${least} were written`,
      );
    }
  });
  const writing = Promise.all(WRITERS.map((at) => count(at, written, 12))).finally(() => {
    isOver = true;
  });
  await Promise.all([writing, ...readers]);
  assert.ok(taken > 100, `only ${taken} values were taken as they were`);
});

test('a bookmark is forgotten when an older copy of the store may have taken its place', async () => {
  let bookmark: string | undefined = 'of the store before';
  const { observer, readBookmark } = service.graph;
  const watch = createChangeWatch({ observer, readBookmark: async () => bookmark ?? readBookmark() });
  assert.is(await waitForQuiet(watch), bookmark);
  bookmark = undefined;
  await sleep(1100);
  assert.is(watch.settled(), undefined, 'nobody has looked for a while');
  assert.ok((await waitForQuiet(watch)).startsWith('FB:'));
});

const createDomain = async (name: string): Promise<string> => {
  const { id } = ok(await service.admin.post('/v1/domains', { name, description: 'v0', domainType: 'Aggregate' }), 201);
  return `/v1/domains/${id}`;
};

test('a kept answer costs no query of revisions while nothing changes', async () => {
  const path = await createDomain('unchanged');
  await confirmAnswers(service.admin, [path]);
  const sent = (name: string) => service.sent(`catalog/record/${name}`);
  const before = sent('read_plain_by_id');
  let free = 0;
  for (let times = 0; times < 100; times += 1) {
    const looked = sent('read_revisions');
    ok(await service.admin.get(path));
    const looks = sent('read_revisions') - looked;
    assert.ok(looks <= 1);
    if (looks === 0) free += 1;
    await sleep(10);
  }
  assert.is(sent('read_plain_by_id'), before);
  assert.ok(free > 30, `${free} of 100 reads`);
});

test('what somebody writes into the database directly is seen by the next read', async () => {
  const path = await createDomain('written_directly');
  const id = path.split('/').at(-1);
  await confirmAnswers(service.admin, [path]);
  for (let round = 1; round <= 40; round += 1) {
    const description = `v${round}`;
    await service.graph.query(
      'MATCH (n:Domain {id: $id}) SET n.description = $description, n.revision = n.revision + 1',
      {
        id,
        description,
      },
    );
    assert.is(ok(await service.admin.get(path)).description, description);
    // Long enough for the answer to be kept now and then.
    if (round % 5 === 0) await confirmAnswers(service.admin, [path]);
    await sleep(QUIET_MS * Math.random() * 2);
  }
});

test.run();
