import * as assert from 'uvu/assert';
import type { NumberedEvent } from '../../src/events/tail.ts';
import { ok } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { readEventsAfter } from '../support/wait-for-events.ts';

/** Creates and changes records, and reads the numbers of their events. */

export type SequencedService = {
  readonly service: Service;
  createDomain(): Promise<string>;
  describeDomain(id: string, description: string): Promise<void>;
  /** Everything that was numbered after `start`, checked for what must be true of every stretch of numbers. */
  readChecked(start: number): Promise<readonly NumberedEvent[]>;
};

const readChecked = async (service: Service, start: number): Promise<readonly NumberedEvent[]> => {
  const events = await readEventsAfter(service, start);
  assert.equal(
    events.map(({ seq }) => seq),
    events.map((_, at) => start + at + 1),
    'numbers have no gaps',
  );
  assert.is(new Set(events.map(({ id }) => id)).size, events.length, 'no event has two numbers');
  const versions = new Map<string, number>();
  for (const event of events) {
    const { currentVersion } = event.value() as { currentVersion: number };
    assert.ok((versions.get(event.entityId) ?? 0) <= currentVersion, 'those of one record lie in its order');
    versions.set(event.entityId, currentVersion);
  }
  return events;
};

export const openSequencedService = async (): Promise<SequencedService> => {
  const service = await openService();
  const { admin } = service;
  return {
    service,
    createDomain: async () => {
      const body = { name: uniqueName('told'), description: 'Told of.', domainType: 'Aggregate' };
      return ok(await admin.post('/v1/domains', body), 201).id;
    },
    describeDomain: async (id, description) => {
      ok(await admin.patch(`/v1/domains/${id}`, [{ op: 'replace', path: '/description', value: description }]));
    },
    readChecked: (start) => readChecked(service, start),
  };
};
