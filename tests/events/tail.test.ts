import * as assert from 'uvu/assert';
import { listEventsAfter } from '../../src/events/queries.ts';
import { createEventTail, type EventTail, type EventTailOptions } from '../../src/events/tail.ts';
import type { Graph } from '../../src/graph/client.ts';
import { ok } from '../support/expect.ts';
import { PATIENCE_MS, waitFor, waitUntil } from '../support/patience.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that readers of the event log see each event once and in order. */

const test = suite('events: tail');

let service: Service;

test.before(async () => {
  service = await openService();
});

const createDomains = async (count: number): Promise<void> => {
  const bodies = Array.from({ length: count }, () => ({
    name: uniqueName('tail'),
    description: 'Told of.',
    domainType: 'Aggregate',
  }));
  const reply = ok(await service.admin.put('/v1/domains/bulk', bodies));
  assert.is(reply.numberOfRowsPassed, count);
};

/** A tail as another process has one, which is told of nothing. */
const openTail = (options: Partial<EventTailOptions> = {}) => {
  const warnings: string[] = [];
  const log = { warn: (message: string) => warnings.push(message) };
  let reads = 0;
  const read: Graph['read'] = (statement, params) => {
    if (statement === listEventsAfter) reads += 1;
    return service.graph.read(statement, params);
  };
  const tail = createEventTail({
    graph: { ...service.graph, read },
    log,
    isSequencerLocal: () => false,
    options: { pollMs: 10, ...options },
  });
  return { tail, warnings, reads: () => reads };
};

/** Follows from a number on until so many events have come, and answers their numbers, which fill `seqs` meanwhile. */
const follow = (tail: EventTail, from: number, count: number, seqs: number[] = []): Promise<number[]> => {
  const read = async () => {
    const at = seqs.at(-1) ?? from;
    const events = await tail.after(at, 7);
    if (events.length === 0) await tail.waitAfter(at, 1000);
    seqs.push(...events.map(({ seq }) => seq));
    return seqs;
  };
  return waitFor(read, ({ length }) => length >= count, `${count} events are read`, { pauseMs: 0 });
};

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at + 1);

test('concurrent readers each see every event once and in order, from any start', async () => {
  const start = await waitForSequencing(service);
  await createDomains(60);
  const { tail } = openTail({ batch: 10, cachedEvents: 20 });
  const [all, some]: [number[], number[]] = [[], []];
  const early = [follow(tail, start, 100, all), follow(tail, start + 30, 70, some)];
  await waitUntil(() => all.length === 60 && some.length === 30, 'both have read what there is');
  await createDomains(40);
  const late = follow(tail, start + 60, 40);
  assert.equal(await Promise.all([...early, late]), [range(start, 100), range(start + 30, 70), range(start + 60, 40)]);
  await tail.stop();
});

test('after an idle time the tail continues with new events and still serves older positions', async () => {
  const { tail } = openTail({ cachedEvents: 5 });
  const start = await waitForSequencing(service);
  await createDomains(3);
  assert.equal(await follow(tail, start, 3), range(start, 3));
  await createDomains(50);
  const later = await waitForSequencing(service);
  const following = follow(tail, later, 2);
  await createDomains(2);
  assert.equal(await following, range(later, 2));
  assert.equal(await follow(tail, start + 1, 54), range(start + 1, 54), 'and nothing is lost to those further back');
  await tail.stop();
});

test('waiting ends at its timeout, its signal, or when the tail closes', async () => {
  const { tail } = openTail();
  const last = await waitForSequencing(service);
  assert.is(await tail.waitAfter(last, 50), false);
  const leaving = new AbortController();
  const waits = [tail.waitAfter(last, 60_000, leaving.signal), tail.waitAfter(last, 60_000)];
  leaving.abort();
  await waits[0];
  await tail.waitAfter(last, 60_000, leaving.signal);
  await tail.stop();
  await waits[1];
});

test('a missing number is awaited, and skipped after a time limit', async () => {
  await service.app.events.stop();
  const start = await waitForSequencing(service);
  service.app.events.start();
  await createDomains(6);
  await waitForSequencing(service);
  const hide = (seq: number) =>
    service.graph.query('MATCH (e:ChangeEvent {seq: $seq}) SET e.kept = e.seq, e.seq = null RETURN e.id', { seq });
  await hide(start + 3);
  const { tail, warnings } = openTail({ missingGraceMs: 300 });
  const seqs = async (after: number) => (await tail.after(after, 100)).map(({ seq }) => seq);
  assert.equal(await seqs(start), [start + 1, start + 2]);
  assert.equal(await seqs(start + 2), []);
  await service.graph.query('MATCH (e:ChangeEvent {kept: $seq}) SET e.seq = e.kept RETURN e.id', { seq: start + 3 });
  assert.equal(await seqs(start + 2), [start + 3, start + 4, start + 5, start + 6]);
  await hide(start + 5);
  assert.equal(await seqs(start + 4), []);
  assert.equal(warnings, []);
  await waitUntil(async () => (await seqs(start + 4)).length > 0, 'the missing number is passed by');
  assert.equal(await seqs(start + 4), [start + 6]);
  assert.match(warnings[0] ?? '', /missing/);
  // Later suites may read from here.
  await service.graph.query('MATCH (e:ChangeEvent {kept: $seq}) SET e.seq = e.kept RETURN e.id', { seq: start + 5 });
  await tail.stop();
});

test('readers who have seen all events leave it to one of them to look for more', async () => {
  // It looks when it is woken, so that the reads do not grow with the time.
  const { tail, reads } = openTail({ pollMs: 10 * PATIENCE_MS });
  const start = await waitForSequencing(service);
  const READERS = 30;
  const EVENTS = 5;
  const progress = Array.from({ length: READERS }, () => ({ at: start }));
  const reading = progress.map(async (reader) => {
    while (reader.at < start + EVENTS) {
      const events = await tail.after(reader.at, 7);
      reader.at = events.at(-1)?.seq ?? reader.at;
      if (events.length === 0) await tail.waitAfter(reader.at, PATIENCE_MS);
    }
  });
  for (let made = 1; made <= EVENTS; made += 1) {
    await createDomains(1);
    await waitForSequencing(service);
    tail.wake();
    const lags = () => progress.filter(({ at }) => at < start + made);
    await waitUntil(() => lags().length === 0, `all have seen event ${made}`, lags);
  }
  await Promise.all(reading);
  assert.ok(reads() <= READERS + 3 * EVENTS, `${reads()} reads`);
  await tail.stop();
});

/** A reader who waits for events after a number until he leaves. */
const openWait = (tail: EventTail, after: number) => {
  const leaving = new AbortController();
  let isOver = false;
  const waiting = tail.waitAfter(after, 10 * PATIENCE_MS, leaving.signal).finally(() => {
    isOver = true;
  });
  return {
    isOver: () => isOver,
    leave: () => {
      leaving.abort();
      return waiting;
    },
  };
};

test('a reader behind events that were removed looks for them no more often than others poll', async () => {
  await service.app.events.stop();
  const start = await waitForSequencing(service);
  service.app.events.start();
  await createDomains(2);
  const last = await waitForSequencing(service);
  const { tail, reads } = openTail({ cachedEvents: 1 });
  assert.ok(await tail.waitAfter(start, PATIENCE_MS), 'the tail knows of newer events');
  assert.equal(await follow(tail, start, 2), range(start, 2));
  const between = { start, last };
  await service.graph.query(
    'MATCH (e:ChangeEvent) WHERE $start < e.seq <= $last SET e.kept = e.seq, e.seq = null RETURN e.id',
    between,
  );
  for (const _again of [1, 2]) {
    assert.equal(await tail.after(start, 100), []);
    const before = reads();
    const wait = openWait(tail, start);
    await waitUntil(() => wait.isOver() || reads() >= before + 3, 'the tail has polled three times');
    assert.is(wait.isOver(), false, 'it would look again at once');
    await wait.leave();
  }
  await service.graph.query(
    'MATCH (e:ChangeEvent) WHERE $start < e.kept <= $last SET e.seq = e.kept, e.kept = null RETURN e.id',
    between,
  );
  assert.equal(await follow(tail, start, last - start), range(start, last - start));
  await tail.stop();
});

test('a reader in a loop uses no processor while the tail is stopped', async () => {
  const { tail } = openTail({ pollMs: 10 * PATIENCE_MS });
  const last = await waitForSequencing(service);
  await tail.stop();
  const wait = openWait(tail, last);
  // Whatever ends at once has ended before the database answers.
  assert.equal(await tail.after(last, 100), []);
  assert.is(wait.isOver(), false, 'it would look again at once');
  await wait.leave();
});

test.run();
