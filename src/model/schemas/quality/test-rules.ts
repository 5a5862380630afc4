import { badRequest } from '../../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { parseEntityLink } from '../../language/entity-link.ts';

/** Rules for tests beyond the schemas of their bodies and queries. */

/** Refuses names with `>`, which ends an entity link, because links to such tests could not be parsed. */
export const checkTestName = ({ name }: JsonObject): void => {
  if (String(name).includes('>')) throw badRequest(`Invalid name ${String(name)}`);
};

const isFlagSet = (query: URLSearchParams, name: string): boolean => {
  const text = query.get(name)?.toLowerCase();
  if (text && text !== 'true' && text !== 'false') throw badRequest(`[${name} must be true or false]`);
  return text === 'true';
};

/** Rewrites the filters of a list of tests: by entity link, by FQN, or with all tests below it. */
export const normaliseTestFilters = (query: URLSearchParams): URLSearchParams => {
  const normalised = new URLSearchParams(query);
  const link = query.get('entityLink');
  if (link) {
    const { fqn, field, item } = parseEntityLink(link);
    if (field === 'columns' && item === undefined) {
      throw badRequest(`Invalid entity link: column name missing in ${link}`);
    }
    normalised.set('entityFQN', field === 'columns' && item !== undefined ? `${fqn}.${item}` : fqn);
  }
  const [target, isAll] = [normalised.get('entityFQN'), isFlagSet(query, 'includeAllTests')];
  if (target && isAll) {
    normalised.delete('entityFQN');
    normalised.set('includeAllTests', target);
  } else normalised.delete('includeAllTests');
  return normalised;
};
