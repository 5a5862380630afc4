import type { RecordFacts } from '../../access/authorization.ts';
import type { Principal } from '../../access/principal.ts';
import type { EventRecordKey, RecordVisibility, RecordVisibilityOf } from '../../events/event-visibility.ts';
import type { ResourceFact } from '../../model/language/condition-evaluation.ts';
import type { Engine } from '../engine.ts';
import { canSeeEverything, checkPermissions, filterPermittedIds, VIEW_OPERATIONS } from './facts.ts';

/** Which records of one type a caller may see: all, or those that a check of the given ids returns. */
export type Visibility = 'all' | ((ids: readonly string[]) => Promise<ReadonlySet<string>>);

/** How long a decision may be reused, and how many are cached. */
const CACHE_MS = 1000;
const MAX_CACHED = 50_000;

/**
 * Caches decisions within a request, because the page and the total of a list check the same records at nearly the same
 * time. A decision never outlives the request, nor the time for which rights may be cached.
 */
const memoizeVisibility = (look: Exclude<Visibility, 'all'>): Exclude<Visibility, 'all'> => {
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  let since = performance.now();

  const makeRoom = (coming: number): void => {
    const now = performance.now();
    if (known.size + coming <= MAX_CACHED && now - since < CACHE_MS) return;
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
 * Returns what a caller sees of the records of a type. Throws forbidden when the caller can see none. A list may take
 * long to read, so every check uses the rights of that moment.
 */
export const visibilityOf = (
  engine: Pick<Engine, 'authorize' | 'authorizer' | 'facts'>,
  principal: Principal,
  operations: readonly string[],
  entityType: string,
): Visibility => {
  const filter = engine.authorizer.filter(principal, operations, entityType);
  if (filter === 'all') return 'all';
  if (filter === 'none') engine.authorize(principal, operations, { resource: entityType });
  return memoizeVisibility(async (ids) => {
    await engine.authorizer.ensureFresh();
    return new Set(await filterPermittedIds(engine, principal, operations, entityType, ids));
  });
};

/** Creates the visibility of events: a caller who may see a record may see all its events. */
export const eventVisibilityFor =
  (engine: Engine): RecordVisibilityOf =>
  (principal) => {
    if (canSeeEverything(engine, principal)) return 'everything';
    return (subjects) => checkPermissions(engine, principal, VIEW_OPERATIONS, subjects);
  };

/**
 * Reads what each of many callers sees of some records. The facts about the records are read once for all callers, so
 * the number of statements does not grow with the number of callers.
 */
export const sharedEventVisibilityFor =
  ({ authorizer, facts }: Pick<Engine, 'authorizer' | 'facts'>) =>
  async (
    principals: readonly Principal[],
    records: readonly EventRecordKey[],
  ): Promise<(principal: Principal) => RecordVisibility> => {
    await authorizer.ensureFresh();
    const types = [...new Set(records.map(({ entityType }) => entityType))];
    const needs = new Set<ResourceFact>(
      principals.flatMap((principal) =>
        types.flatMap((type) => [...authorizer.requiredFacts(principal, VIEW_OPERATIONS, type)]),
      ),
    );
    const ids = [...new Set(records.map(({ entityId }) => entityId))];
    const known = needs.size === 0 ? new Map<string, RecordFacts>() : await facts.readMany(ids, needs);
    const isSeen = (principal: Principal, { entityType, entityId }: EventRecordKey): boolean => {
      const filter = authorizer.filter(principal, VIEW_OPERATIONS, entityType);
      if (typeof filter === 'string') return filter === 'all';
      const found = known.get(entityId);
      return found !== undefined && filter(found);
    };
    return (principal) => async (subjects) => subjects.map((subject) => isSeen(principal, subject));
  };
