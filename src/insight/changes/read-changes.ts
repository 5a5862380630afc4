import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { parseStoredState } from '../../catalog/read/history.ts';
import { requireKind } from '../../catalog/registry.ts';
import type { ChangeDescription } from '../../model/change-description.ts';
import type { JsonObject } from '../../model/json.ts';
import { isInScope } from '../scope.ts';
import type { ChangeRecord } from './catalog-change.ts';
import type { ChangeScope } from './changes-request.ts';
import { listDeletionChanges } from './deletion-changes.ts';
import { type ChangeWindow, listEdgeChanges } from './edge-changes.ts';
import { CONCLUSIVE_STATUSES, listOutcomeChanges, type OutcomeSource } from './outcome-changes.ts';
import {
  type ChangedStateRow,
  listOutcomes,
  listRecordEdgeChanges,
  listRecordParts,
  listRecordStates,
  listScopeEdgeChanges,
  listScopeRecords,
  listScopeStates,
} from './queries.ts';
import { listStateChanges } from './state-changes.ts';

/** Reads all changes in a scope and a time window: from versions, from assertions about edges, and from results. */

/** Changes of one source, newest first, and what of them was cut off. */
export type FoundChanges = { readonly rows: readonly ChangeRecord[]; readonly cut?: string | undefined };

/** A scope with more records is read by time, a smaller one record by record. */
const MAX_RECORDS = 2000;

/** How much of each source is read, the newest first. */
const MAX_STATES = 6000;
const MAX_EDGES = 2000;
const MAX_RESULTS = 50_000;

/** Where to look: at some records, or by time at everything at or below a name. */
type ChangeSearch = {
  readonly engine: Engine;
  readonly window: ChangeWindow;
  readonly scope: ChangeScope;
  readonly fqn: string;
  readonly ids: readonly string[] | undefined;
};

const entityTypesOf = ({ registry }: Engine): readonly string[] => registry.kinds.map(({ entityType }) => entityType);

/** The records to look at one by one; undefined when there are too many. */
const findRecords = async (engine: Engine, scope: ChangeScope): Promise<readonly string[] | undefined> => {
  const limit = MAX_RECORDS + 1;
  if ('asset' in scope) {
    const { id } = scope.asset;
    const parts = await engine.graph.read(listRecordParts, { id, limit });
    return [id, ...parts.map((part) => part.id)];
  }
  if (scope.fqn === '') return undefined;
  const entityTypes = entityTypesOf(engine);
  const found = await engine.graph.read(listScopeRecords, { entityTypes, scope: scope.fqn, limit });
  return found.length > MAX_RECORDS ? undefined : found.map(({ id }) => id);
};

const readStates = async ({ engine, window, fqn, ids }: ChangeSearch): Promise<readonly ChangedStateRow[]> => {
  const limit = MAX_STATES;
  if (ids) return engine.graph.read(listRecordStates, { ...window, ids, limit });
  const params = { ...window, entityTypes: entityTypesOf(engine), scope: fqn, limit };
  // The reads run in sequence: a state that stops being current before the second read is then among the former states.
  const current: readonly ChangedStateRow[] = await engine.graph.read(listScopeStates.current, params);
  return [...current, ...(await engine.graph.read(listScopeStates.former, params))];
};

/** Reads the change that led to a state; undefined for the first state of a record. */
const readChange = async (
  engine: Engine,
  row: ChangedStateRow,
): Promise<{ row: ChangedStateRow; change: Partial<ChangeDescription> | undefined }> => {
  if (row.json === null)
    return { row, change: row.changeJson === null ? undefined : (JSON.parse(row.changeJson) as ChangeDescription) };
  const state: JsonObject = await parseStoredState(engine, requireKind(engine.registry, row.node.entityType), row.json);
  const by = (state['updatedBy'] as string | undefined) ?? null;
  return { row: { ...row, by }, change: state['changeDescription'] as unknown as ChangeDescription | undefined };
};

const describeStates = async (engine: Engine, all: readonly ChangedStateRow[]): Promise<FoundChanges> => {
  const distinct = [...new Map(all.map((row) => [`${row.node.id} ${row.version}`, row])).values()];
  const newest = distinct.sort((a, b) => b.at - a.at).slice(0, MAX_STATES);
  const rows: ChangeRecord[] = [];
  for (const one of newest) {
    const { row, change } = await readChange(engine, one);
    rows.push(...listStateChanges(requireKind(engine.registry, row.node.entityType), row, change));
  }
  return { rows, cut: all.length >= MAX_STATES ? 'versions' : undefined };
};

const findStateChanges = async (search: ChangeSearch): Promise<FoundChanges> =>
  describeStates(search.engine, await readStates(search));

const isAmong =
  (scope: ChangeScope) =>
  ({ id, fullyQualifiedName }: RefNode): boolean =>
    'asset' in scope ? id === scope.asset.id : isInScope(scope, fullyQualifiedName);

const findEdgeChanges = async ({ engine, window, scope, fqn, ids }: ChangeSearch): Promise<FoundChanges> => {
  const limit = MAX_EDGES;
  const edges = ids
    ? await engine.graph.read(listRecordEdgeChanges, { ...window, ids, limit })
    : await engine.graph.read(listScopeEdgeChanges, { ...window, scope: fqn, limit });
  const isLookedAt = isAmong(scope);
  const isCut = edges.length >= limit || edges.some((edge) => edge.isCut);
  return {
    rows: edges.flatMap((edge) => listEdgeChanges(edge, window, isLookedAt)),
    cut: isCut ? 'edges' : undefined,
  };
};

const findOutcomeChanges = async (
  { engine, window, fqn, ids }: ChangeSearch,
  source: OutcomeSource,
): Promise<FoundChanges> => {
  const params = { ...window, statuses: CONCLUSIVE_STATUSES[source], limit: MAX_RESULTS };
  const found = ids
    ? await engine.graph.read(listOutcomes[source].ofRecords, { ...params, ids })
    : await engine.graph.read(listOutcomes[source].ofScope, { ...params, scope: fqn });
  return {
    rows: found.flatMap((row) => listOutcomeChanges(source, row)),
    cut: found.some(({ isCut }) => isCut) ? 'results' : undefined,
  };
};

const uniteCuts = (found: readonly FoundChanges[]): string | undefined => {
  const cuts = found.flatMap(({ cut }) => cut ?? []);
  return cuts.length === 0 ? undefined : [...new Set(cuts)].join(',');
};

/** Reads how some assets changed and what came to feed them or ceased to, without their contracts and tests. */
export const readAssetChanges = async (
  engine: Engine,
  assetIds: readonly string[],
  window: ChangeWindow,
): Promise<FoundChanges> => {
  const ids = new Set(assetIds);
  const [states, edges] = await Promise.all([
    engine.graph.read(listRecordStates, { ...window, ids: assetIds, limit: MAX_STATES }),
    engine.graph.read(listRecordEdgeChanges, { ...window, ids: assetIds, limit: MAX_EDGES }),
  ]);
  const changed = await describeStates(engine, states);
  const entering = edges.filter(({ to }) => ids.has(to.id));
  const fed = {
    rows: entering.flatMap((edge) => listEdgeChanges(edge, window, ({ id }) => ids.has(id))),
    cut: edges.length >= MAX_EDGES ? 'edges' : undefined,
  };
  return { rows: [...changed.rows, ...fed.rows], cut: uniteCuts([changed, fed]) };
};

/** Reads what changed. Of each source only the newest part is read when there is too much; `cut` names those sources. */
export const readChanges = async (engine: Engine, scope: ChangeScope, window: ChangeWindow): Promise<FoundChanges> => {
  const fqn = 'asset' in scope ? scope.asset.fullyQualifiedName : scope.fqn;
  const search = { engine, window, scope, fqn, ids: await findRecords(engine, scope) };
  const found = await Promise.all([
    findStateChanges(search),
    listDeletionChanges(engine, scope, window),
    findEdgeChanges(search),
    findOutcomeChanges(search, 'tests'),
    findOutcomeChanges(search, 'contracts'),
  ]);
  return { rows: found.flatMap(({ rows }) => rows), cut: uniteCuts(found) };
};
