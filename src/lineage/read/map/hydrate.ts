import type { Engine } from '../../../catalog/engine.ts';
import { createView } from '../../../catalog/read/answer.ts';
import { filterPermittedIds } from '../../../catalog/read/facts.ts';
import { parseFields } from '../../../catalog/read/fields.ts';
import { type IncludeDeleted, renderRecord } from '../../../catalog/read/render.ts';
import { redactRecords } from '../../../catalog/read/sensitive-values.ts';
import type { Snapshot } from '../../../catalog/read/snapshot.ts';
import { badRequest, CatalogError } from '../../../errors.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Kind } from '../../../model/kind/kind.ts';
import { operationsToReadFields } from '../../../model/kind/required-operations.ts';
import { entityRefByName, findEndpoint, findEndpointsByIds, readEndpointPointer } from '../../endpoints.ts';
import type { MapCaller } from './visible-lineage.ts';

/** A request for records by references, whatever their kinds. */
export type HydrationRequest = {
  readonly entities: readonly JsonObject[];
  readonly fields?: string;
  readonly include?: IncludeDeleted;
};

const findReferenced = async (
  engine: Engine,
  ref: JsonObject,
): Promise<{ readonly kind: Kind; readonly id: string } | undefined> => {
  try {
    const { id, type, fqn } = readEndpointPointer(engine, ref);
    if (id === undefined) return await findEndpoint(engine, entityRefByName(engine, type ?? '', fqn ?? ''), true);
    const [site] = await findEndpointsByIds(engine, [id]);
    return type === undefined || site?.kind.entityType === type ? site : undefined;
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'not_found') return undefined;
    throw failure;
  }
};

/** Returns the requested fields that a kind has. */
const fieldsOfKind = (kind: Kind, names: readonly string[]): ReadonlySet<string> =>
  parseFields(kind, names.includes('*') ? '*' : names.filter((name) => kind.fieldNames.has(name)).join(','));

const readFieldNames = (kinds: readonly Kind[], fields = ''): readonly string[] => {
  const names = new Set(fields.split(',').map((name) => name.trim()));
  const known = [...names].filter((name) => name !== '');
  const strange = known.find((name) => name !== '*' && !kinds.some((kind) => kind.fieldNames.has(name)));
  if (strange !== undefined) throw badRequest(`Invalid field name ${strange}`);
  return known;
};

/** Records of kinds without soft deletion are returned even when only deleted records are requested. */
const isIncluded = (include: IncludeDeleted, { kind, deleted }: Snapshot): boolean =>
  include === 'all' || (deleted ? include === 'deleted' : include === 'non-deleted' || !kind.softDeletable);

/** Reads records by references; missing and hidden records are only counted. */
export const hydrateRecords = async (
  engine: Engine,
  caller: MapCaller,
  { entities, fields, include = 'non-deleted' }: HydrationRequest,
): Promise<JsonObject> => {
  const found = (await Promise.all(entities.map((ref) => findReferenced(engine, ref)))).flatMap((one) => one ?? []);
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  const names = readFieldNames(engine.registry.kinds, fields);
  const entitiesByType: Record<string, readonly JsonObject[]> = {};
  let shown = 0;
  for (const kind of kinds) {
    const wanted = fieldsOfKind(kind, names);
    const ids = [...new Set(found.flatMap((one) => (one.kind === kind ? [one.id] : [])))];
    const operations = operationsToReadFields(kind, wanted);
    const seen = await filterPermittedIds(engine, caller.principal, operations, kind.entityType, ids);
    const view = createView(engine, caller, wanted);
    const records = (await engine.store.records(kind, seen, wanted)).filter((record) => isIncluded(include, record));
    shown += records.length;
    const shownRecords = await redactRecords(engine, caller.principal, records);
    if (records.length > 0) entitiesByType[kind.entityType] = shownRecords.map((record) => renderRecord(record, view));
  }
  const distinct = found.length - new Set(found.map(({ id }) => id)).size;
  return { entitiesByType, droppedCount: entities.length - distinct - shown };
};
