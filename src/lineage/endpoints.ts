import { notAllowedMessage } from '../access/authorization.ts';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { authorizeRecord, checkPermissions } from '../catalog/read/facts.ts';
import { type Registry, requireKind } from '../catalog/registry.ts';
import { parseRecordPointer, type RecordPointer } from '../catalog/resolve/record-pointers.ts';
import { resolvePointer } from '../catalog/resolve/references.ts';
import { badRequest, CatalogError, recordNotFound } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { type Kind, resolveFqnText } from '../model/kind/kind.ts';
import type { AccessNeed } from '../model/schemas/access/policy.ts';
import { PIPELINE_KINDS } from '../model/schemas/lineage/lineage.ts';
import { isUuid } from '../model/uuid.ts';
import type { EndpointIdentity } from './column-mappings.ts';

/** Returns the kind for an entity type in a path or body. Throws bad_request when there is none. */
const requireKnownKind = (engine: Engine, type: string): Kind => {
  const kind = engine.registry.byType.get(type);
  if (!kind) throw badRequest(`Entity type ${type.slice(0, 100)} is not known`);
  return kind;
};

/** A record at one end of an edge. */
export type Endpoint = EndpointIdentity & { readonly node: RefNode };

export const toEndpoint = (engine: Engine, node: RefNode): Endpoint => ({
  id: node.id,
  fullyQualifiedName: node.fullyQualifiedName,
  kind: requireKind(engine.registry, node.entityType),
  node,
});

/** Resolves a reference from a body to a record; deleted records are not found. */
export const resolveEndpoint = async (engine: Engine, pointer: RecordPointer): Promise<Endpoint> =>
  toEndpoint(engine, await resolvePointer(engine, pointer, []));

/** Returns the endpoints of an existing edge, including deleted records, without those that were removed meanwhile. */
export const findEndpointsByIds = async (engine: Engine, ids: readonly string[]): Promise<Endpoint[]> => {
  const found = await Promise.all(ids.map((id) => engine.store.referenceById(id)));
  return found.flatMap((node) => (node ? [toEndpoint(engine, node)] : []));
};

/** Parses a reference from a body. Throws bad_request when its type is unknown. */
export const readEndpointPointer = (engine: Engine, ref: JsonObject): RecordPointer => {
  const pointer = parseRecordPointer(ref);
  if (pointer.type !== undefined) requireKnownKind(engine, pointer.type);
  return pointer;
};

/** Parses the reference to what data runs through. Throws bad_request unless its type is one that carries data. */
export const readPipelinePointer = (engine: Engine, ref: JsonObject): RecordPointer => {
  const pointer = readEndpointPointer(engine, ref);
  const { type } = pointer;
  if (type !== undefined && !PIPELINE_KINDS.some((kind) => kind === type)) {
    throw badRequest(`[pipeline must be a ${PIPELINE_KINDS.join(' or ')}, not a ${type}]`);
  }
  return pointer;
};

/** Resolves the pipeline that data runs through. */
export const resolvePipeline = async (engine: Engine, pointer: RecordPointer): Promise<RefNode> =>
  resolvePointer(engine, pointer, PIPELINE_KINDS);

/** Returns the record with this ID, whatever its kind. Throws not_found when it is missing or deleted. */
export const findEndpointById = async (engine: Engine, id: string): Promise<Endpoint> => {
  const node = isUuid(id) ? await engine.store.referenceById(id) : undefined;
  if (!node || node.deleted === true) throw recordNotFound('entity', id);
  return toEndpoint(engine, node);
};

/** A reference to a record in the path of a request. */
export type EntityRef = { readonly kind: Kind } & ({ readonly id: string } | { readonly fqn: string });

export const entityRefById = (engine: Engine, type: string, id: string): EntityRef => ({
  kind: requireKnownKind(engine, type),
  id: id.toLowerCase(),
});

export const entityRefByName = (engine: Engine, type: string, fqn: string): EntityRef => {
  const kind = requireKnownKind(engine, type);
  return { kind, fqn: resolveFqnText(kind, fqn) };
};

const lookUpNode = async (engine: Engine, place: EntityRef): Promise<RefNode | undefined> => {
  if ('fqn' in place) return engine.store.reference(place.kind, place.fqn);
  const node = isUuid(place.id) ? await engine.store.referenceById(place.id) : undefined;
  return node?.entityType === place.kind.entityType ? node : undefined;
};

/** Returns the record that a path names. Deleted records are found only when `alsoDeleted` is true. */
export const findEndpoint = async (engine: Engine, place: EntityRef, alsoDeleted = false): Promise<Endpoint> => {
  const node = await lookUpNode(engine, place);
  if (!node || (node.deleted === true && !alsoDeleted)) {
    throw recordNotFound(place.kind.entityType, 'fqn' in place ? place.fqn : place.id);
  }
  return toEndpoint(engine, node);
};

export const EDIT_LINEAGE: readonly string[] = ['EditLineage'];

/** The right to edit lineage of records of each kind. Who has none of them writes no edge. */
export const lineageEditNeeds = ({ kinds }: Registry): readonly AccessNeed[] =>
  kinds.flatMap(({ entityType: resource }) => EDIT_LINEAGE.map((operation) => ({ operation, resource })));

/**
 * Up to this many records are checked one by one, because single checks share their queries with those of other
 * requests.
 */
const MAX_SHARED_CHECKS = 2;

/** Throws unless the principal may edit lineage at every one of the endpoints. */
export const permitLineageEdit = async (
  engine: Engine,
  principal: Principal,
  ends: readonly EndpointIdentity[],
): Promise<void> => {
  const distinct = [...new Map(ends.map((end) => [end.id, end])).values()];
  if (distinct.length <= MAX_SHARED_CHECKS) {
    for (const end of distinct) await authorizeRecord(engine, principal, EDIT_LINEAGE, end);
    return;
  }
  const records = distinct.map(({ id, kind }) => ({ entityId: id, entityType: kind.entityType }));
  const allowed = await checkPermissions(engine, principal, EDIT_LINEAGE, records);
  if (allowed.includes(false)) throw new CatalogError('forbidden', notAllowedMessage(principal, EDIT_LINEAGE));
};
