import { demandAnyRight, type RecordFacts } from '../../access/authorization.ts';
import type { Principal } from '../../access/principal.ts';
import { VIEW_OPERATION } from '../../access/verdict.ts';
import { recordNotFound } from '../../errors.ts';
import type { Graph } from '../../graph/client.ts';
import { coalesce } from '../../graph/coalesce.ts';
import { withPositions } from '../../graph/statement.ts';
import type { JsonObject } from '../../model/json.ts';
import { listRecordTypes } from '../../model/kind/record-type.ts';
import type { ResourceFact } from '../../model/language/condition-evaluation.ts';
import type { AccessNeed } from '../../model/schemas/access/policy.ts';
import type { Engine } from '../engine.ts';
import { type FactsRow, type OwnFactsRow, readFacts, readOwnFacts } from './facts-queries.ts';
import { filterNearest, type Snapshot } from './snapshot.ts';
import type { Store } from './store.ts';

/** Reads the facts of records that policies ask for. Facts that are not needed stay empty. */
export type FactsReader = {
  /** Reads the facts of one record; concurrent lookups share a query. Undefined when the record does not exist. */
  read(id: string, needs: ReadonlySet<ResourceFact>): Promise<RecordFacts | undefined>;
  /** Reads the facts of many records by id, without records that do not exist. */
  readMany(ids: readonly string[], needs: ReadonlySet<ResourceFact>): Promise<ReadonlyMap<string, RecordFacts>>;
};

type FactsKey = { readonly id: string } & Readonly<Record<ResourceFact, boolean>>;

const factsKey = (id: string, needs: ReadonlySet<ResourceFact>): FactsKey => ({
  id,
  owners: needs.has('owners'),
  domains: needs.has('domains'),
  tags: needs.has('tags'),
  certification: needs.has('certification'),
  subjects: needs.has('subjects'),
});

const factsIdentity = ({ id, owners, domains, tags, certification, subjects }: FactsKey): string =>
  `${id} ${owners} ${domains} ${tags} ${certification} ${subjects}`;

const decodeFacts = (row: FactsRow, certification: string | undefined): RecordFacts => {
  const owners = filterNearest(row.owners ?? []);
  return {
    ownerIds: owners.map(({ id }) => id),
    owningTeamIds: owners.filter(({ isTeam }) => isTeam).map(({ id }) => id),
    peoplesTeamIds: owners.flatMap(({ teamIds }) => teamIds),
    domainIds: filterNearest(row.domains ?? []).map(({ id }) => id),
    tags: new Set(row.tags),
    certification,
  };
};

/** A certification stores the id of its tag, because the tag may have been renamed since. */
const readCertificationTag = async (
  store: Pick<Store, 'referenceById'>,
  { certificationJson }: FactsRow,
): Promise<string | undefined> => {
  if (certificationJson === null) return undefined;
  const { tagLabel } = JSON.parse(certificationJson) as { readonly tagLabel: JsonObject };
  const tag = await store.referenceById(String(tagLabel['id']));
  return tag === undefined || tag.deleted ? undefined : tag.fullyQualifiedName;
};

type SubjectRows = NonNullable<FactsRow['subjects']>;

/** The facts of a record without those of what it is about. */
type OwnFacts = { readonly facts: RecordFacts; readonly subjects: SubjectRows };

/**
 * Adds the facts of what a record is about. A record that has lost all of that meanwhile is about to be removed as well,
 * and counts as missing.
 */
const withSubjects = (
  { facts, subjects }: OwnFacts,
  found: ReadonlyMap<string, RecordFacts | undefined>,
): RecordFacts | undefined => {
  if (subjects.length === 0) return facts;
  const known = subjects.flatMap(({ id, entityType }) => {
    const one = found.get(id);
    return one ? [{ resource: entityType, facts: one }] : [];
  });
  return known.length === 0 ? undefined : { ...facts, subjects: known };
};

/** The number of records that one statement reads. */
const FACTS_BATCH = 1000;

const isEmpty = (list: readonly unknown[] | null): boolean => list?.length === 0;

/** Completes a record's own facts by those of its parent, which the parent's other children share. */
const withParentFacts = (row: OwnFactsRow, above: ReadonlyMap<string, FactsRow>): FactsRow => {
  const parent = above.get(row.parentId ?? '');
  if (!parent) return row;
  return {
    ...row,
    owners: isEmpty(row.owners) ? parent.owners : row.owners,
    domains: isEmpty(row.domains) ? parent.domains : row.domains,
  };
};

/** Reads the facts that records without an owner or domain of their own inherit from their ancestors. */
const readParentFacts = async (
  graph: Graph,
  rows: readonly OwnFactsRow[],
  needs: ReadonlySet<ResourceFact>,
): Promise<ReadonlyMap<string, FactsRow>> => {
  const heirs = rows.filter(({ owners, domains }) => isEmpty(owners) || isEmpty(domains));
  const ids = [...new Set(heirs.flatMap(({ parentId }) => parentId ?? []))];
  if (ids.length === 0) return new Map();
  const keys = ids.map((id, at) => ({
    ...factsKey(id, needs),
    at,
    tags: false,
    certification: false,
    subjects: false,
  }));
  const found = await graph.read(readFacts, { rows: keys });
  return new Map(found.map((row) => [ids[row.at] ?? '', row]));
};

export const createFactsReader = (graph: Graph, store: Pick<Store, 'referenceById'>): FactsReader => {
  const load = async (keys: readonly FactsKey[]): Promise<readonly (OwnFacts | undefined)[]> => {
    const found: (OwnFacts | undefined)[] = new Array(keys.length).fill(undefined);
    const rows = await graph.read(readFacts, { rows: withPositions(keys) });
    await Promise.all(
      rows.map(async (row) => {
        const facts = decodeFacts(row, await readCertificationTag(store, row));
        found[row.at] = { facts, subjects: row.subjects ?? [] };
      }),
    );
    return found;
  };

  const shared = coalesce({ name: readFacts.name, observer: graph.observer, identity: factsIdentity, load });

  const read: FactsReader['read'] = async (id, needs) => {
    const own = await shared(factsKey(id, needs));
    if (!own) return undefined;
    // Subjects are looked up after the shared query, which would otherwise wait for itself.
    const found = await Promise.all(own.subjects.map(async (one) => [one.id, await read(one.id, needs)] as const));
    return withSubjects(own, new Map(found));
  };

  const readMany: FactsReader['readMany'] = async (ids, needs) => {
    const all = new Map<string, OwnFacts>();
    for (let start = 0; start < ids.length; start += FACTS_BATCH) {
      const some = ids.slice(start, start + FACTS_BATCH);
      const rows = await graph.read(readOwnFacts, { rows: some.map((id, at) => ({ ...factsKey(id, needs), at })) });
      const above = await readParentFacts(graph, rows, needs);
      // All run concurrently, so that the lookups of certification tags share queries.
      await Promise.all(
        rows.map(async (row) => {
          const facts = decodeFacts(withParentFacts(row, above), await readCertificationTag(store, row));
          all.set(some[row.at] ?? '', { facts, subjects: row.subjects ?? [] });
        }),
      );
    }
    const subjectIds = new Set([...all.values()].flatMap(({ subjects }) => subjects.map(({ id }) => id)));
    const found = subjectIds.size === 0 ? new Map<string, RecordFacts>() : await readMany([...subjectIds], needs);
    return new Map(
      [...all].flatMap(([id, own]) => {
        const facts = withSubjects(own, found);
        return facts ? [[id, facts] as const] : [];
      }),
    );
  };

  return { read, readMany };
};

/** The operations that a caller needs to see a record. */
export const VIEW_OPERATIONS: readonly string[] = [VIEW_OPERATION];

/** Adds the right to see a record to what else a request needs: nobody does anything with a record that is hidden. */
export const withView = (operations: readonly string[]): readonly string[] =>
  operations.includes(VIEW_OPERATION) ? operations : [VIEW_OPERATION, ...operations];

/**
 * Throws forbidden unless the caller may see one record and do the operations on it. This is the decision about every
 * request for an existing record, also about those that change it; a hidden record is refused as a request to read it
 * would be. The record's facts are read only when the decision depends on them, which for most callers it does not.
 */
export const authorizeRecord = async (
  engine: Pick<Engine, 'authorize' | 'authorizer' | 'facts'>,
  principal: Principal,
  operations: readonly string[],
  { kind, id }: Pick<Snapshot, 'kind' | 'id'>,
): Promise<void> => {
  const resource = kind.entityType;
  const { authorizer } = engine;
  const decide = (facts?: RecordFacts): void => {
    const subject = facts ? { resource, facts } : { resource };
    if (!operations.includes(VIEW_OPERATION)) engine.authorize(principal, VIEW_OPERATIONS, subject);
    engine.authorize(principal, operations, subject);
  };
  const toView = authorizer.requiredFacts(principal, VIEW_OPERATIONS, resource);
  const toDo = authorizer.requiredFacts(principal, operations, resource);
  if (toView.size + toDo.size === 0) return decide();
  const facts = await engine.facts.read(id, new Set([...toView, ...toDo]));
  if (!facts) throw recordNotFound(resource, id);
  decide(facts);
};

/** Throws forbidden for a caller who has none of some rights on any record. */
export const authorizeAny = (
  { authorize, authorizer: { filter } }: Pick<Engine, 'authorize' | 'authorizer'>,
  principal: Principal,
  needs: readonly AccessNeed[],
): void => demandAnyRight({ authorize, filter }, principal, needs);

/** The id and type of a record of any kind. */
type TypedRecordId = { readonly entityType: string; readonly entityId: string };

/**
 * Returns the ids of the records of one type that the caller may see and do the operations on. Records that do not exist are
 * included when the caller may do it on every record of the type.
 */
export const filterPermittedIds = async (
  { authorizer, facts }: Pick<Engine, 'authorizer' | 'facts'>,
  principal: Principal,
  operations: readonly string[],
  entityType: string,
  ids: readonly string[],
): Promise<readonly string[]> => {
  const needed = withView(operations);
  const filter = authorizer.filter(principal, needed, entityType);
  if (filter === 'all') return ids;
  if (filter === 'none') return [];
  const known = await facts.readMany(ids, authorizer.requiredFacts(principal, needed, entityType));
  return [...known].flatMap(([id, found]) => (filter(found) ? [id] : []));
};

/**
 * Says for each of many records whether the caller may do an operation, in their order. Removed records have no facts,
 * so only callers who may do it on the whole type pass.
 */
export const checkPermissions = async (
  engine: Pick<Engine, 'authorizer' | 'facts'>,
  principal: Principal,
  operations: readonly string[],
  records: readonly TypedRecordId[],
): Promise<readonly boolean[]> => {
  const types = new Map<string, string[]>();
  for (const { entityType, entityId } of records) {
    const ids = types.get(entityType);
    if (ids) ids.push(entityId);
    else types.set(entityType, [entityId]);
  }
  const accepted = [...types].map(([type, ids]) => filterPermittedIds(engine, principal, operations, type, ids));
  const ids = new Set((await Promise.all(accepted)).flat());
  return records.map(({ entityId }) => ids.has(entityId));
};

/** Whether the caller sees every record of every type, so that no single record needs a check. */
export const canSeeEverything = ({ authorizer }: Pick<Engine, 'authorizer'>, principal: Principal): boolean =>
  authorizer.isAllowedEverywhere(principal, VIEW_OPERATIONS, listRecordTypes());
