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

/** The record of whatever kind that has a name. Few names are those of two, so whoever means the other one says the type. */
const findByName = async (engine: Engine, fqn: string, alsoDeleted: boolean): Promise<Endpoint> => {
  const { kinds } = engine.registry;
  const sites = await Promise.all(kinds.map(({ entityType }) => findByType(engine, entityType, fqn, alsoDeleted)));
  const found = sites.find((site) => site !== undefined);
  if (!found) throw recordNotFound('entity', fqn);
  return found;
};

/** The record that a request is about, if the caller may see it. */
export const findMapRoot = async (engine: Engine, { principal }: MapCaller, request: MapRequest): Promise<Endpoint> => {
  const [fqn, type] = [readMapFqn(request), readMapType(request)];
  const includeDeleted = readMapFlag(request, 'includeDeleted');
  const root =
    type === undefined
      ? await findByName(engine, fqn, includeDeleted)
      : await findEndpoint(engine, entityRefByName(engine, type, fqn), includeDeleted);
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, root);
  return root;
};
