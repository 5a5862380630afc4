import type { Engine } from '../../catalog/engine.ts';
import { permit, VIEW } from '../../catalog/read/facts.ts';
import { CatalogError, recordNotFound } from '../../errors.ts';
import { findPlace, namePlace, type Site } from '../ends.ts';
import { flagAsked, fqnAsked, type Request, typeAsked } from './asked.ts';
import type { Caller } from './ground.ts';

const findOfType = async (engine: Engine, type: string, fqn: string, alsoDeleted: boolean) => {
  try {
    return await findPlace(engine, namePlace(engine, type, fqn), alsoDeleted);
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'not_found') return undefined;
    throw failure;
  }
};

/** The record of whatever kind that has a name. Few names are those of two, so whoever means the other one says the type. */
const findNamed = async (engine: Engine, fqn: string, alsoDeleted: boolean): Promise<Site> => {
  const { kinds } = engine.registry;
  const sites = await Promise.all(kinds.map(({ entityType }) => findOfType(engine, entityType, fqn, alsoDeleted)));
  const found = sites.find((site) => site !== undefined);
  if (!found) throw recordNotFound('entity', fqn);
  return found;
};

/** The record that a request is about, if the caller may see it. */
export const findRoot = async (engine: Engine, { principal }: Caller, request: Request): Promise<Site> => {
  const [fqn, type] = [fqnAsked(request), typeAsked(request)];
  const includeDeleted = flagAsked(request, 'includeDeleted');
  const root =
    type === undefined
      ? await findNamed(engine, fqn, includeDeleted)
      : await findPlace(engine, namePlace(engine, type, fqn), includeDeleted);
  await permit(engine, principal, VIEW, root);
  return root;
};
