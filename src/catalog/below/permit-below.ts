import { notAllowed } from '../../access/authorize.ts';
import type { Principal } from '../../access/principal.ts';
import { CatalogError } from '../../errors.ts';
import type { Engine } from '../engine.ts';
import { permitted, VIEW } from '../read/facts.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { type BelowRow, listBelow, type Reach } from './queries.ts';

/**
 * The rights to what hangs below a record that is removed or brought back together with it. Either the caller may change
 * all of it, or nothing is changed: a request answers 403, a row of a bulk request and a job fail the same way.
 */

/** How many refused records a message names, and among how many of them those are looked for that the caller may see. */
const MOST_NAMED = 5;
const MOST_LOOKED_AT = 200;

const PAGE = 5000;

export type BelowAsked = {
  readonly root: Snapshot;
  readonly operation: 'Delete' | 'EditAll';
  /** Which records change with the root. */
  readonly reach: Reach;
  /** All of them, where they are few enough to have been read already. */
  readonly rows?: readonly BelowRow[];
};

/** The types of records whose change is not granted to the caller without looking at each. */
const guardedTypes = (engine: Engine, principal: Principal, operation: string): readonly string[] =>
  engine.registry.kinds
    .map(({ entityType }) => entityType)
    .filter((entityType) => engine.judge.filter(principal, [operation], entityType) !== 'all');

/** Whether the caller's rights depend on what hangs below, so that it has to be read. */
export const mustJudgeBelow = (engine: Engine, principal: Principal, operation: BelowAsked['operation']): boolean =>
  guardedTypes(engine, principal, operation).length > 0;

async function* pagesOf(
  engine: Engine,
  asked: BelowAsked,
  types: readonly string[],
): AsyncGenerator<readonly BelowRow[]> {
  const { root, reach, rows } = asked;
  if (rows) return yield rows.filter(({ entityType }) => types.includes(entityType));
  for (let after = ''; ; ) {
    const page = await engine.graph.read(listBelow, { id: root.id, types, reach, after, limit: PAGE });
    yield page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.id;
  }
}

type Refused = { count: number; readonly first: BelowRow[] };

const refusedBelow = async (engine: Engine, principal: Principal, asked: BelowAsked): Promise<Refused> => {
  const refused: Refused = { count: 0, first: [] };
  const types = guardedTypes(engine, principal, asked.operation);
  if (types.length === 0) return refused;
  for await (const page of pagesOf(engine, asked, types)) {
    const found = page.map(({ id, entityType }) => ({ entityId: id, entityType }));
    const accepted = await permitted(engine, principal, [asked.operation], found);
    const denied = page.filter((_, at) => !accepted[at]);
    refused.count += denied.length;
    refused.first.push(...denied.slice(0, MOST_LOOKED_AT - refused.first.length));
  }
  return refused;
};

/** The names of some refused records, without those that the caller may not see. */
const namesOf = async (engine: Engine, principal: Principal, rows: readonly BelowRow[]): Promise<string[]> => {
  const found = rows.map(({ id, entityType }) => ({ entityId: id, entityType }));
  const visible = await permitted(engine, principal, VIEW, found);
  const shown = rows.filter((_, at) => visible[at]).slice(0, MOST_NAMED);
  const refs = await Promise.all(shown.map(({ id }) => engine.store.referenceById(id)));
  return refs.flatMap((ref) => (ref ? [`${ref.entityType} ${ref.fullyQualifiedName}`] : [])).sort();
};

/** Throws forbidden, naming how many and some of them, unless the caller may change everything that changes with a record. */
export const permitBelow = async (engine: Engine, principal: Principal, asked: BelowAsked): Promise<void> => {
  const { count, first } = await refusedBelow(engine, principal, asked);
  if (count === 0) return;
  const names = await namesOf(engine, principal, first);
  const { kind, fullyQualifiedName } = asked.root;
  const these = names.length === 0 ? '' : `: ${names.join(', ')}${count > names.length ? ', …' : ''}`;
  throw new CatalogError(
    'forbidden',
    `${notAllowed(principal, [asked.operation])} for ${count} of what lies below ${kind.entityType} ${fullyQualifiedName}${these}`,
  );
};
