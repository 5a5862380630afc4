import { setTimeout as sleep } from 'node:timers/promises';
import { createTail, type NumberedEvent } from '../../src/events/tail.ts';
import type { Service } from './service.ts';

const WITHIN_MS = 30_000;

/** Waits until something is true. */
export const until = async (
  is: () => Promise<boolean> | boolean,
  what: string,
  withinMs = WITHIN_MS,
): Promise<void> => {
  const deadline = Date.now() + withinMs;
  while (!(await is())) {
    if (Date.now() > deadline) throw new Error(`it never came to be that ${what}`);
    await sleep(20);
  }
};

/** The last number that has been given when every event committed so far has one. */
export const numbered = async ({ graph, app }: Service): Promise<number> => {
  const waiting = async () => {
    const [row] = await graph.query("MATCH (e:Unsequenced) WHERE e.entityId > '' RETURN count(e) AS waiting");
    return row?.['waiting'] as number;
  };
  await until(async () => (await waiting()) === 0, 'every event has a number');
  return (await app.events.tail.head()).last;
};

/** All events of the store after a number, read by somebody who keeps none of them in memory yet. */
export const eventsAfter = async ({ graph }: Service, seq: number): Promise<NumberedEvent[]> => {
  const tail = createTail({ graph, log: { warn: () => {} }, isToldOfAll: () => false });
  const all: NumberedEvent[] = [];
  for (let after = seq; ; ) {
    const some = await tail.after(after, 100);
    if (some.length === 0) return all;
    all.push(...some);
    after = some.at(-1)?.seq ?? after;
  }
};

/** Waits until everybody was told of everything committed so far; answers the last number of that. */
export const addressed = async (service: Service): Promise<number> => {
  const last = await numbered(service);
  const reached = async () => {
    const [row] = await service.graph.query("MATCH (p:Progress {name: 'notifications'}) RETURN p.seq AS seq");
    return row?.['seq'] as number;
  };
  await until(async () => (await reached()) >= last, 'people are told of everything');
  return last;
};
