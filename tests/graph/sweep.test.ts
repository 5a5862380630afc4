import { setInterval } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Graph } from '../../src/graph/client.ts';
import { claimTurn } from '../../src/graph/lease.ts';
import { createSweep, type SweepStep } from '../../src/graph/sweep.ts';
import { waitUntil } from '../support/patience.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a sweep runs all of its steps, in one process and once at a time. */

const test = suite('graph: sweeps');

const EVERY_MS = 40;

/** Waits for rounds of a timer as frequent as that of a sweep. Of two such timers, the one started first is first. */
const rounds = async (count: number): Promise<void> => {
  let left = count;
  for await (const _ of setInterval(EVERY_MS)) {
    left -= 1;
    if (left === 0) return;
  }
};

let service: Service;

test.before(async () => {
  service = await openService();
});

type Warning = { readonly facts: Readonly<Record<string, unknown>>; readonly failure: unknown };

const openSweep = (
  steps: Readonly<Record<string, SweepStep>>,
  { turn = uniqueName('turn'), graph = service.graph } = {},
) => {
  const warnings: Warning[] = [];
  const log = { warn: (_: string, facts: Warning['facts'], failure: unknown) => warnings.push({ facts, failure }) };
  return { sweep: createSweep({ graph, log, turn, everyMs: EVERY_MS, steps }), turn, warnings };
};

test('a step that fails is logged by its name, and the steps after it run', async () => {
  const failure = new Error('in use');
  let ended = 0;
  const { sweep, turn, warnings } = openSweep({
    first: () => Promise.reject(failure),
    second: async () => {
      ended += 1;
    },
  });
  sweep.start();
  await waitUntil(() => ended >= 2, 'the second step ran twice');
  await sweep.stop();
  assert.equal(warnings[0], { facts: { turn, step: 'first' }, failure });
  assert.ok(warnings.every(({ facts }) => facts['step'] === 'first'));
});

test('a sweep that takes longer than the time between two is not joined by another', async () => {
  let [open, most, times] = [0, 0, 0];
  const { sweep } = openSweep({
    slow: async () => {
      open += 1;
      most = Math.max(most, open);
      await rounds(3);
      open -= 1;
      times += 1;
    },
  });
  sweep.start();
  await waitUntil(() => times >= 3, 'it ran three times');
  await sweep.stop();
  assert.equal([most, open], [1, 0]);
});

test('no process sweeps while another has the turn', async () => {
  const turn = uniqueName('turn');
  assert.ok(await claimTurn(service.graph, turn, 3_600_000));
  let swept = 0;
  const count = async () => {
    swept += 1;
  };
  let asked = 0;
  const writeAlone: Graph['writeAlone'] = (...args) => {
    asked += 1;
    return service.graph.writeAlone(...args);
  };
  const { sweep } = openSweep({ count }, { turn, graph: { ...service.graph, writeAlone } });
  sweep.start();
  await waitUntil(() => asked > 3, 'it has asked for the turn three times and once more');
  assert.is(swept, 0);
  await service.graph.query('MATCH (turn:Lease {name: $turn}) DELETE turn', { turn });
  await waitUntil(() => swept > 0, 'it has the turn');
  await sweep.stop();
});

test('stop waits for the step in progress, tells it to end, and begins no other', async () => {
  const seen: string[] = [];
  const { sweep } = openSweep({
    long: async (shouldContinue) => {
      seen.push('begun');
      await waitUntil(() => !shouldContinue(), 'it is told to end');
      await rounds(2);
      seen.push('ended');
    },
    next: async () => seen.push('next'),
  });
  sweep.start();
  await waitUntil(() => seen.length > 0, 'the step has begun');
  await sweep.stop();
  await rounds(3);
  assert.equal(seen, ['begun', 'ended']);
});

test.run();
