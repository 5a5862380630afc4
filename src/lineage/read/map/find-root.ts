import type { Engine } from '../../../catalog/engine.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../../catalog/read/facts.ts';
import { CatalogError, recordNotFound } from '../../../errors.ts';
import { type Endpoint, entityRefByName, findEndpoint } from '../../endpoints.ts';
import { type MapRequest, readMapFlag, readMapFqn, readMapType } from './map-request.ts';
import type { MapCaller } from './visible-lineage.ts';

const findByType = async (engine: Engine, type: string, fqn: string, alsoDeleted: boolean) => {
  try {
    return await findEndpoint(engine, entityRefByName(engine, type, fqn), alsoDeleted);
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'not_found') return undefined;
    throw failure;
  }
};

/**
 * Finds a record of any kind by full name. Records of different kinds rarely share a name; a request for the other one
 * names the type.
 */
const findByName = async (engine: Engine, fqn: string, alsoDeleted: boolean): Promise<Endpoint> => {
  const { kinds } = engine.registry;
  const sites = await Promise.all(kinds.map(({ entityType }) => findByType(engine, entityType, fqn, alsoDeleted)));
  const found = sites.find((site) => site !== undefined);
  if (!found) throw recordNotFound('entity', fqn);
  return found;
};

/** Finds the record with a full name, of a type or of any, if the caller may see it. */
const findPermitted = async (
  engine: Engine,
  { principal }: MapCaller,
  fqn: string,
  type: string | undefined,
  alsoDeleted: boolean,
): Promise<Endpoint> => {
  const found =
    type === undefined
      ? await findByName(engine, fqn, alsoDeleted)
      : await findEndpoint(engine, entityRefByName(engine, type, fqn), alsoDeleted);
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, found);
  return found;
};

/** Finds the root of a request, if the caller may see it. */
export const findMapRoot = (engine: Engine, caller: MapCaller, request: MapRequest): Promise<Endpoint> =>
  findPermitted(engine, caller, readMapFqn(request), readMapType(request), readMapFlag(request, 'includeDeleted'));

/** Finds what a scene is about, if the caller may see it; undefined for the whole catalog. */
export const findFocus = async (
  engine: Engine,
  caller: MapCaller,
  request: MapRequest,
): Promise<Endpoint | undefined> => {
  const fqn = request.query.get('focusFqn')?.trim();
  if (!fqn) return undefined;
  return findPermitted(engine, caller, fqn, readMapType(request), readMapFlag(request, 'includeDeleted'));
};
