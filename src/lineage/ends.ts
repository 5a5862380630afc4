import { notAllowed } from '../access/authorize.ts';
import type { Principal } from '../access/principal.ts';
import { type Pointer, pointerOf } from '../catalog/desire/candidate.ts';
import { resolvePointer } from '../catalog/desire/resolve.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { permit, permitted } from '../catalog/read/facts.ts';
import { kindNamed } from '../catalog/registry.ts';
import { badRequest, CatalogError, recordNotFound } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { type Kind, lookupFqn } from '../model/kind.ts';
import { CARRIERS } from '../model/lineage-values.ts';
import { isUuid } from '../model/uuid.ts';
import type { End } from './columns.ts';

/** The kind that a path or a body names. Throws bad_request when there is none. */
const kindCalled = (engine: Engine, type: string): Kind => {
  const kind = engine.registry.byType.get(type);
  if (!kind) throw badRequest(`Entity type ${type.slice(0, 100)} is not known`);
  return kind;
};

/** A record at one end of an edge. */
export type Site = End & { readonly node: RefNode };

export const siteOf = (engine: Engine, node: RefNode): Site => ({
  id: node.id,
  fullyQualifiedName: node.fullyQualifiedName,
  kind: kindNamed(engine.registry, node.entityType),
  node,
});

/** The record that a reference in a body means; deleted ones are not found. */
export const findSite = async (engine: Engine, pointer: Pointer): Promise<Site> =>
  siteOf(engine, await resolvePointer(engine, pointer, []));

/** Records at the ends of an edge that is there, deleted or not. Without those that went on the way. */
export const findEnds = async (engine: Engine, ids: readonly string[]): Promise<Site[]> => {
  const found = await Promise.all(ids.map((id) => engine.store.referenceById(id)));
  return found.flatMap((node) => (node ? [siteOf(engine, node)] : []));
};

/** What a reference in a body says, if it can be looked up at all. */
export const readPointer = (engine: Engine, ref: JsonObject): Pointer => {
  const pointer = pointerOf(ref);
  if (pointer.type !== undefined) kindCalled(engine, pointer.type);
  return pointer;
};

/** The record that data runs through. */
export const findCarrier = async (engine: Engine, pointer: Pointer): Promise<RefNode> =>
  resolvePointer(engine, pointer, CARRIERS);

/** The record of whatever kind that an id means. */
export const findById = async (engine: Engine, id: string): Promise<Site> => {
  const node = isUuid(id) ? await engine.store.referenceById(id) : undefined;
  if (!node || node.deleted === true) throw recordNotFound('entity', id);
  return siteOf(engine, node);
};

/** How a path names a record. */
export type Place = { readonly kind: Kind } & ({ readonly id: string } | { readonly fqn: string });

export const idPlace = (engine: Engine, type: string, id: string): Place => ({
  kind: kindCalled(engine, type),
  id: id.toLowerCase(),
});

export const namePlace = (engine: Engine, type: string, fqn: string): Place => {
  const kind = kindCalled(engine, type);
  return { kind, fqn: lookupFqn(kind, fqn) };
};

const lookUp = async (engine: Engine, place: Place): Promise<RefNode | undefined> => {
  if ('fqn' in place) return engine.store.reference(place.kind, place.fqn);
  const node = isUuid(place.id) ? await engine.store.referenceById(place.id) : undefined;
  return node?.entityType === place.kind.entityType ? node : undefined;
};

/** The record that a path names. Deleted ones are found only by those who ask for them as well. */
export const findPlace = async (engine: Engine, place: Place, alsoDeleted = false): Promise<Site> => {
  const node = await lookUp(engine, place);
  if (!node || (node.deleted === true && !alsoDeleted)) {
    throw recordNotFound(place.kind.entityType, 'fqn' in place ? place.fqn : place.id);
  }
  return siteOf(engine, node);
};

export const EDIT: readonly string[] = ['EditLineage'];

/** Looks at so few records share their queries with those of other requests. */
const FEW = 2;

/** Lineage is changed by those who may change it at all of its ends. */
export const permitEnds = async (engine: Engine, principal: Principal, ends: readonly End[]): Promise<void> => {
  const distinct = [...new Map(ends.map((end) => [end.id, end])).values()];
  if (distinct.length <= FEW) {
    for (const end of distinct) await permit(engine, principal, EDIT, end);
    return;
  }
  const records = distinct.map(({ id, kind }) => ({ entityId: id, entityType: kind.entityType }));
  const allowed = await permitted(engine, principal, EDIT, records);
  if (allowed.includes(false)) throw new CatalogError('forbidden', notAllowed(principal, EDIT));
};
