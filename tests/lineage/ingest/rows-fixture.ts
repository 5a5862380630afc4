import type { JsonObject } from '../../../src/model/json.ts';
import { ok } from '../../support/expect.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../../support/rights.ts';
import { type Made, openWorld, ref, type World } from '../fixture.ts';

/** Helpers for tests that write many edges at once. */
export type Desk = { readonly world: World; readonly rights: RightsFactory };

export const openDesk = async (): Promise<Desk> => {
  const world = await openWorld();
  return { world, rights: createRightsFactory(world.service) };
};

/** An edge as a row among many. */
export const bare = (from: Made, to: Made, lineageDetails?: JsonObject) => ({
  fromEntity: ref(from),
  toEntity: ref(to),
  ...(lineageDetails === undefined ? {} : { lineageDetails }),
});

/** Somebody who may change the lineage of all tables but one. */
export const barredFrom = async ({ world, rights }: Desk, { id }: Made): Promise<Person> => {
  const person = await rights.person([
    { operations: ['EditLineage'], resources: ['table'] },
    { effect: 'deny', operations: ['EditLineage'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const tag = { tagFQN: 'PII.Sensitive', source: 'Classification' };
  ok(await world.admin.patch(`/v1/tables/${id}`, [{ op: 'add', path: '/tags', value: [tag] }]));
  return person;
};
