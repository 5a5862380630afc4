import * as assert from 'uvu/assert';
import { startDelivery } from '../../src/events/delivery.ts';
import type { DeliveryProgress } from '../../src/events/delivery-progress.ts';
import type { DeliveryDeps } from '../../src/events/delivery-state.ts';
import { createMatchTest, selectEvents } from '../../src/events/match-events.ts';
import type { Subscription } from '../../src/events/subscription-cache.ts';
import type { NumberedEvent } from '../../src/events/tail.ts';
import { createEventMatcher, type EventFilterInput } from '../../src/model/language/event-filter.ts';
import { createMatchBudget, MAX_MATCH_STEPS, MAX_TURN_STEPS } from '../../src/model/language/match-budget.ts';
import { countTurns } from '../support/count-turns.ts';
import { manyLetters } from '../support/many-letters.ts';
import { suite } from '../support/suite.ts';

/** Shows that the filters of subscriptions pay for their expressions when events are delivered. */

const test = suite('events: cost of expressions');

const byFqn = (...input: string[]): EventFilterInput => ({
  name: 'filterByFqn',
  arguments: [{ name: 'fqnList', input }],
});

/** An expression that may be stored, and that pays again for every new name. */
const COSTLY = byFqn('(?:.?){600}!');

const eventOf = (seq: number, fqn: string): NumberedEvent =>
  ({
    seq,
    id: `event ${seq}`,
    entityId: `record ${seq}`,
    entityType: 'table',
    value: () => ({ entityType: 'table', entityFullyQualifiedName: fqn }),
  }) as unknown as NumberedEvent;

const costlyEvents = (count: number): readonly NumberedEvent[] =>
  Array.from({ length: count }, (_, at) => eventOf(at + 1, manyLetters(at, 400)));

const readNothing = async () => [];

test('an event whose filter costs more than its budget is undecided, and the others are decided', async () => {
  const matcher = createEventMatcher(['all'], [byFqn('(?:.?){600}!', 'shop')]);
  const events = [eventOf(1, 'shop.pg'), eventOf(2, manyLetters(1, 400)), eventOf(3, 'shop')];
  const matchTest = await createMatchTest(matcher, events, readNothing, createMatchBudget(1000));
  const verdicts = [];
  for (const event of events) verdicts.push(await matchTest(event));
  assert.equal(verdicts, ['selected', 'undecided', 'selected']);
});

test('the expressions of a filter let other work go on', async () => {
  const matcher = createEventMatcher(['all'], [COSTLY]);
  const [events, budget] = [costlyEvents(8), createMatchBudget()];
  const matchTest = await createMatchTest(matcher, events, readNothing, budget);
  const turns = await countTurns(() => selectEvents(events, matchTest));
  const least = Math.floor(budget.spent() / MAX_TURN_STEPS / 2);
  assert.ok(least > 2, `${budget.spent()} steps`);
  assert.ok(turns >= least, `${budget.spent()} steps were done in ${turns} turns`);
});

test('all events of a page have one budget', async () => {
  const [events, budget] = [costlyEvents(80), createMatchBudget()];
  const matchTest = await createMatchTest(createEventMatcher(['all'], [COSTLY]), events, readNothing, budget);
  const { selected, undecided } = await selectEvents(events, matchTest);
  assert.equal(selected, []);
  assert.ok(undecided > 0 && undecided < events.length, `${undecided} are undecided`);
  assert.ok(budget.spent() < 1.01 * MAX_MATCH_STEPS, `${budget.spent()} steps`);
});

/** Delivers events to one destination until all are processed; nothing is ever sent. */
const deliver = async (events: readonly NumberedEvent[], type: 'Webhook' | 'Slack'): Promise<DeliveryProgress> => {
  let reachEnd: () => void = () => {};
  const atEnd = new Promise<void>((resolve) => {
    reachEnd = resolve;
  });
  const tail = {
    after: async (seq: number) => events.filter((event) => event.seq > seq),
    waitAfter: (_seq: number, _ms: number, signal: AbortSignal) => {
      reachEnd();
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
  const deps = {
    tail,
    readEventContexts: readNothing,
    log: { warn: (...what: unknown[]) => assert.unreachable(String(what.at(-1))) },
    clock: () => 1234,
    retryMs: [],
    isHeld: () => true,
  } as unknown as DeliveryDeps;
  const subscription = {
    id: 'subscription',
    name: 'costly',
    stateKey: '1',
    isActive: true,
    batchSize: 100,
    pollIntervalMs: 0,
    resources: ['all'],
    filters: [COSTLY],
    destinations: [
      { id: 'open', enabled: true, category: 'External', type },
      { id: 'closed', enabled: false, category: 'External', type },
    ],
  } as unknown as Subscription;
  const start = { seq: 0, startSeq: 0, succeeded: 0, failed: 0, statuses: {}, retry: undefined };
  const delivery = startDelivery(deps, subscription, start);
  await atEnd;
  await delivery.stop();
  return delivery.progress();
};

for (const type of ['Webhook', 'Slack'] as const) {
  test(`the status of a ${type} tells of events that are not delivered, and later events are not held up`, async () => {
    const { seq, failed, succeeded, statuses } = await deliver(costlyEvents(80), type);
    assert.is(seq, 80);
    assert.is(succeeded, 0);
    assert.ok(failed > 0 && failed < 80, `${failed} failed`);
    assert.equal(Object.keys(statuses), ['open']);
    const { status, lastFailedAt, lastFailedReason } = statuses['open'] ?? {};
    assert.equal([status, lastFailedAt], ['failed', 1234]);
    assert.match(lastFailedReason ?? '', /expressions of the filters are too expensive/);
  });
}

test.run();
