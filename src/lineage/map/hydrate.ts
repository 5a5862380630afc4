import type { Engine } from '../../catalog/engine.ts';
import { viewFor } from '../../catalog/read/answer.ts';
import { acceptedIds } from '../../catalog/read/facts.ts';
import { parseFields } from '../../catalog/read/fields.ts';
import { type Include, render } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { withholdAll } from '../../catalog/read/withheld.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { operationsOfFields } from '../../model/required-operations.ts';
import { findEnds, findPlace, namePlace, readPointer } from '../ends.ts';
import type { Caller } from './ground.ts';

/** Records that are asked for by references, whatever their kinds. */
export type Hydration = {
  readonly entities: readonly JsonObject[];
  readonly fields?: string;
  readonly include?: Include;
};

const findOne = async (
  engine: Engine,
  ref: JsonObject,
): Promise<{ readonly kind: Kind; readonly id: string } | undefined> => {
  try {
    const { id, type, fqn } = readPointer(engine, ref);
    if (id === undefined) return await findPlace(engine, namePlace(engine, type ?? '', fqn ?? ''), true);
    const [site] = await findEnds(engine, [id]);
    return type === undefined || site?.kind.entityType === type ? site : undefined;
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'not_found') return undefined;
    throw failure;
  }
};

/** What is asked of records of one kind: the members they have of those that are asked for. */
const fieldsOf = (kind: Kind, names: readonly string[]): ReadonlySet<string> =>
  parseFields(kind, names.includes('*') ? '*' : names.filter((name) => kind.fieldNames.has(name)).join(','));

const namesAsked = (kinds: readonly Kind[], fields = ''): readonly string[] => {
  const names = fields.split(',').map((name) => name.trim());
  const known = names.filter((name) => name !== '');
  const strange = known.find((name) => name !== '*' && !kinds.some((kind) => kind.fieldNames.has(name)));
  if (strange !== undefined) throw badRequest(`Invalid field name ${strange}`);
  return known;
};

/** What cannot be deleted for a while is asked for by those who ask for what was. */
const isAsked = (include: Include, { kind, deleted }: Snapshot): boolean =>
  include === 'all' || (deleted ? include === 'deleted' : include === 'non-deleted' || !kind.softDeletable);

/** Reads records by references; those that are not there, or that the caller may not see, are only counted. */
export const hydrate = async (
  engine: Engine,
  caller: Caller,
  { entities, fields, include = 'non-deleted' }: Hydration,
): Promise<JsonObject> => {
  const found = (await Promise.all(entities.map((ref) => findOne(engine, ref)))).flatMap((one) => one ?? []);
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  const names = namesAsked(engine.registry.kinds, fields);
  const entitiesByType: Record<string, readonly JsonObject[]> = {};
  let shown = 0;
  for (const kind of kinds) {
    const wanted = fieldsOf(kind, names);
    const ids = [...new Set(found.flatMap((one) => (one.kind === kind ? [one.id] : [])))];
    const operations = operationsOfFields(kind, wanted);
    const seen = await acceptedIds(engine, caller.principal, operations, kind.entityType, ids);
    const view = viewFor(engine, caller, wanted);
    const records = (await engine.store.records(kind, seen, wanted)).filter((record) => isAsked(include, record));
    shown += records.length;
    const shownRecords = await withholdAll(engine, caller.principal, records);
    if (records.length > 0) entitiesByType[kind.entityType] = shownRecords.map((record) => render(record, view));
  }
  const distinct = found.length - new Set(found.map(({ id }) => id)).size;
  return { entitiesByType, droppedCount: entities.length - distinct - shown };
};
