import type { RecordFacts } from '../../access/authorize.ts';
import type { Principal } from '../../access/principal.ts';
import { recordNotFound } from '../../errors.ts';
import type { Graph } from '../../graph/client.ts';
import { coalesce } from '../../graph/coalesce.ts';
import type { Fact } from '../../model/decide.ts';
import type { JsonObject } from '../../model/json.ts';
import { RECORD_TYPES } from '../../model/record-type.ts';
import type { Engine } from '../engine.ts';
import { type FactsRow, type OwnFactsRow, readFacts, readOwnFacts } from './facts-queries.ts';
import { nearest, type Snapshot } from './snapshot.ts';
import type { Store } from './store.ts';

/** Reads what policies may ask of records. Facts that are not needed are empty. */
export type FactsReader = {
  /** The facts of one record; look-ups that coincide share a query. Undefined when there is no such record. */
  one(id: string, needs: ReadonlySet<Fact>): Promise<RecordFacts | undefined>;
  /** The facts of many records by their ids, without those that are gone. */
  many(ids: readonly string[], needs: ReadonlySet<Fact>): Promise<ReadonlyMap<string, RecordFacts>>;
};

type Key = { readonly id: string } & Readonly<Record<Fact, boolean>>;

const keyFor = (id: string, needs: ReadonlySet<Fact>): Key => ({
  id,
  owners: needs.has('owners'),
  domains: needs.has('domains'),
  tags: needs.has('tags'),
  certification: needs.has('certification'),
});

const identityOf = ({ id, owners, domains, tags, certification }: Key): string =>
  `${id} ${owners} ${domains} ${tags} ${certification}`;

const decodeFacts = (row: FactsRow, certification: string | undefined): RecordFacts => {
  const owners = nearest(row.owners ?? []);
  return {
    ownerIds: owners.map(({ id }) => id),
    owningTeamIds: owners.filter(({ isTeam }) => isTeam).map(({ id }) => id),
    peoplesTeamIds: owners.flatMap(({ teamIds }) => teamIds),
    domainIds: nearest(row.domains ?? []).map(({ id }) => id),
    tags: new Set(row.tags),
    certification,
  };
};

/** A certification is kept with the id of its tag, which may have another name by now. */
const certifyingTag = async (
  store: Pick<Store, 'referenceById'>,
  { certificationJson }: FactsRow,
): Promise<string | undefined> => {
  if (certificationJson === null) return undefined;
  const { tagLabel } = JSON.parse(certificationJson) as { readonly tagLabel: JsonObject };
  const tag = await store.referenceById(String(tagLabel['id']));
  return tag === undefined || tag.deleted ? undefined : tag.fullyQualifiedName;
};

/** How many records one statement answers. */
const AT_ONCE = 1000;

const isEmpty = (list: readonly unknown[] | null): boolean => list?.length === 0;

/** Completes what a record says itself by what its parent has, which holds for the parent's other children too. */
const completed = (row: OwnFactsRow, above: ReadonlyMap<string, FactsRow>): FactsRow => {
  const parent = above.get(row.parentId ?? '');
  if (!parent) return row;
  return {
    ...row,
    owners: isEmpty(row.owners) ? parent.owners : row.owners,
    domains: isEmpty(row.domains) ? parent.domains : row.domains,
  };
};

/** The parents of records that have no owner or domain of their own, and what they have from wherever above. */
const readAbove = async (
  graph: Graph,
  rows: readonly OwnFactsRow[],
  needs: ReadonlySet<Fact>,
): Promise<ReadonlyMap<string, FactsRow>> => {
  const heirs = rows.filter(({ owners, domains }) => isEmpty(owners) || isEmpty(domains));
  const ids = [...new Set(heirs.flatMap(({ parentId }) => parentId ?? []))];
  if (ids.length === 0) return new Map();
  const keys = ids.map((id, at) => ({ ...keyFor(id, needs), at, tags: false, certification: false }));
  const found = await graph.read(readFacts, { rows: keys });
  return new Map(found.map((row) => [ids[row.at] ?? '', row]));
};

export const createFactsReader = (graph: Graph, store: Pick<Store, 'referenceById'>): FactsReader => {
  const load = async (keys: readonly Key[]): Promise<readonly (RecordFacts | undefined)[]> => {
    const found: (RecordFacts | undefined)[] = new Array(keys.length).fill(undefined);
    const rows = await graph.read(readFacts, { rows: keys.map((key, at) => ({ ...key, at })) });
    await Promise.all(
      rows.map(async (row) => {
        found[row.at] = decodeFacts(row, await certifyingTag(store, row));
      }),
    );
    return found;
  };

  const shared = coalesce({ name: readFacts.name, observer: graph.observer, identity: identityOf, load });

  const many: FactsReader['many'] = async (ids, needs) => {
    const all = new Map<string, RecordFacts>();
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      const some = ids.slice(start, start + AT_ONCE);
      const rows = await graph.read(readOwnFacts, { rows: some.map((id, at) => ({ ...keyFor(id, needs), at })) });
      const above = await readAbove(graph, rows, needs);
      // All at once, so that looking for certifying tags shares its queries.
      await Promise.all(
        rows.map(async (row) => {
          all.set(some[row.at] ?? '', decodeFacts(completed(row, above), await certifyingTag(store, row)));
        }),
      );
    }
    return all;
  };

  return { one: (id, needs) => shared(keyFor(id, needs)), many };
};

/**
 * Lets the caller do something to one record, or throws forbidden. The record's facts are read only when the decision
 * depends on them, which for most callers it does not.
 */
export const permit = async (
  engine: Pick<Engine, 'authorize' | 'judge' | 'facts'>,
  principal: Principal,
  operations: readonly string[],
  { kind, id }: Pick<Snapshot, 'kind' | 'id'>,
): Promise<void> => {
  const resource = kind.entityType;
  const needs = engine.judge.needs(principal, operations, resource);
  if (needs.size === 0) return engine.authorize(principal, operations, { resource });
  const facts = await engine.facts.one(id, needs);
  if (!facts) throw recordNotFound(resource, id);
  engine.authorize(principal, operations, { resource, facts });
};

/** A record, of whatever type, that somebody else has found. */
type Found = { readonly entityType: string; readonly entityId: string };

/** To which of many records of one type the caller may do something; records that are gone count when all do. */
export const acceptedIds = async (
  { judge, facts }: Pick<Engine, 'judge' | 'facts'>,
  principal: Principal,
  operations: readonly string[],
  entityType: string,
  ids: readonly string[],
): Promise<readonly string[]> => {
  const filter = judge.filter(principal, operations, entityType);
  if (filter === 'all') return ids;
  if (filter === 'none') return [];
  const known = await facts.many(ids, judge.needs(principal, operations, entityType));
  return [...known].flatMap(([id, found]) => (filter(found) ? [id] : []));
};

/**
 * To which of many records the caller may do something, in their order. Of records that are gone nothing is known any
 * more, so that only those see them who see all of the type.
 */
export const permitted = async (
  engine: Pick<Engine, 'judge' | 'facts'>,
  principal: Principal,
  operations: readonly string[],
  records: readonly Found[],
): Promise<readonly boolean[]> => {
  const types = new Map<string, string[]>();
  for (const { entityType, entityId } of records) {
    const ids = types.get(entityType);
    if (ids) ids.push(entityId);
    else types.set(entityType, [entityId]);
  }
  const accepted = [...types].map(([type, ids]) => acceptedIds(engine, principal, operations, type, ids));
  const ids = new Set((await Promise.all(accepted)).flat());
  return records.map(({ entityId }) => ids.has(entityId));
};

/** What it takes to see a record. */
export const VIEW: readonly string[] = ['ViewBasic'];

/** Whether the caller sees every record of every type, so that nothing has to be looked at one by one. */
export const seesEverything = ({ judge }: Pick<Engine, 'judge'>, principal: Principal): boolean =>
  judge.allowsEverywhere(principal, VIEW, RECORD_TYPES);
