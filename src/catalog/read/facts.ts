import type { RecordFacts } from '../../access/authorization.ts';
import type { Principal } from '../../access/principal.ts';
import { recordNotFound } from '../../errors.ts';
import type { Graph } from '../../graph/client.ts';
import { coalesce } from '../../graph/coalesce.ts';
import { withPositions } from '../../graph/statement.ts';
import type { JsonObject } from '../../model/json.ts';
import { listRecordTypes } from '../../model/kind/record-type.ts';
import type { ResourceFact } from '../../model/language/condition-evaluation.ts';
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
});

const factsIdentity = ({ id, owners, domains, tags, certification }: FactsKey): string =>
  `${id} ${owners} ${domains} ${tags} ${certification}`;

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
  const keys = ids.map((id, at) => ({ ...factsKey(id, needs), at, tags: false, certification: false }));
  const found = await graph.read(readFacts, { rows: keys });
  return new Map(found.map((row) => [ids[row.at] ?? '', row]));
};

export const createFactsReader = (graph: Graph, store: Pick<Store, 'referenceById'>): FactsReader => {
  const load = async (keys: readonly FactsKey[]): Promise<readonly (RecordFacts | undefined)[]> => {
    const found: (RecordFacts | undefined)[] = new Array(keys.length).fill(undefined);
    const rows = await graph.read(readFacts, { rows: withPositions(keys) });
    await Promise.all(
      rows.map(async (row) => {
        found[row.at] = decodeFacts(row, await readCertificationTag(store, row));
      }),
    );
    return found;
  };

  const shared = coalesce({ name: readFacts.name, observer: graph.observer, identity: factsIdentity, load });

  const readMany: FactsReader['readMany'] = async (ids, needs) => {
    const all = new Map<string, RecordFacts>();
    for (let start = 0; start < ids.length; start += FACTS_BATCH) {
      const some = ids.slice(start, start + FACTS_BATCH);
      const rows = await graph.read(readOwnFacts, { rows: some.map((id, at) => ({ ...factsKey(id, needs), at })) });
      const above = await readParentFacts(graph, rows, needs);
      // All run concurrently, so that the lookups of certification tags share queries.
      await Promise.all(
        rows.map(async (row) => {
          all.set(some[row.at] ?? '', decodeFacts(withParentFacts(row, above), await readCertificationTag(store, row)));
        }),
      );
    }
    return all;
  };

  return { read: (id, needs) => shared(factsKey(id, needs)), readMany };
};

/**
 * Throws forbidden unless the caller may do the operations on one record. The record's facts are read only when the
 * decision depends on them, which for most callers it does not.
 */
export const authorizeRecord = async (
  engine: Pick<Engine, 'authorize' | 'authorizer' | 'facts'>,
  principal: Principal,
  operations: readonly string[],
  { kind, id }: Pick<Snapshot, 'kind' | 'id'>,
): Promise<void> => {
  const resource = kind.entityType;
  const needs = engine.authorizer.requiredFacts(principal, operations, resource);
  if (needs.size === 0) return engine.authorize(principal, operations, { resource });
  const facts = await engine.facts.read(id, needs);
  if (!facts) throw recordNotFound(resource, id);
  engine.authorize(principal, operations, { resource, facts });
};

/** The id and type of a record of any kind. */
type TypedRecordId = { readonly entityType: string; readonly entityId: string };

/**
 * Returns the ids of the records of one type on which the caller may do an operation. Records that do not exist are
 * included when the caller may do it on every record of the type.
 */
export const filterPermittedIds = async (
  { authorizer, facts }: Pick<Engine, 'authorizer' | 'facts'>,
  principal: Principal,
  operations: readonly string[],
  entityType: string,
  ids: readonly string[],
): Promise<readonly string[]> => {
  const filter = authorizer.filter(principal, operations, entityType);
  if (filter === 'all') return ids;
  if (filter === 'none') return [];
  const known = await facts.readMany(ids, authorizer.requiredFacts(principal, operations, entityType));
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

/** The operations that a caller needs to see a record. */
export const VIEW_OPERATIONS: readonly string[] = ['ViewBasic'];

/** Whether the caller sees every record of every type, so that no single record needs a check. */
export const canSeeEverything = ({ authorizer }: Pick<Engine, 'authorizer'>, principal: Principal): boolean =>
  authorizer.isAllowedEverywhere(principal, VIEW_OPERATIONS, listRecordTypes());
