import type { Principal } from '../../access/principal.ts';
import type { SightOf } from '../../events/seen.ts';
import type { Engine } from '../engine.ts';
import { acceptedIds, permitted, seesEverything, VIEW } from './facts.ts';

/** Which records of one type a caller may see: all of them, or those among some that a look at each one accepts. */
export type Sight = 'all' | ((ids: readonly string[]) => Promise<ReadonlySet<string>>);

/** How long a verdict may be used again, and how many are kept for that. */
const KEPT_MS = 1000;
const MAX_KEPT = 50_000;

/**
 * The page and the total of one list look at the same records at nearly the same time, so each is judged once. Nothing is
 * kept beyond the request, nor longer than rights themselves may be.
 */
const remembering = (look: Exclude<Sight, 'all'>): Exclude<Sight, 'all'> => {
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  let since = performance.now();

  const makeRoom = (coming: number): void => {
    const now = performance.now();
    if (known.size + coming <= MAX_KEPT && now - since < KEPT_MS) return;
    known.clear();
    since = now;
  };

  return async (ids) => {
    makeRoom(ids.length);
    const fresh = ids.filter((id) => !known.has(id));
    const looked = fresh.length > 0 ? look(fresh) : undefined;
    if (looked) for (const id of fresh) known.set(id, looked);
    const accepted = await Promise.all(new Set(ids.map((id) => known.get(id))));
    return new Set(ids.filter((id) => accepted.some((some) => some?.has(id))));
  };
};

/**
 * What a caller sees of the records of a type. Throws forbidden when that is none, whatever they are. A list may take
 * long to be read, so every look at records goes by the rights of that moment.
 */
export const sightOf = (
  engine: Pick<Engine, 'authorize' | 'judge' | 'facts'>,
  principal: Principal,
  operations: readonly string[],
  entityType: string,
): Sight => {
  const filter = engine.judge.filter(principal, operations, entityType);
  if (filter === 'all') return 'all';
  if (filter === 'none') engine.authorize(principal, operations, { resource: entityType });
  return remembering(async (ids) => {
    await engine.judge.settle();
    return new Set(await acceptedIds(engine, principal, operations, entityType, ids));
  });
};

/** What a caller may know of what happened: whoever may look at a record may know all of it. */
export const sightBy =
  (engine: Engine): SightOf =>
  (principal) => {
    if (seesEverything(engine, principal)) return 'everything';
    return (subjects) => permitted(engine, principal, VIEW, subjects);
  };
