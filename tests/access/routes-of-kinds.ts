import type { Route } from '../../src/http/route.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { chooseForTitles } from '../support/representatives.ts';
import type { Service } from '../support/service.ts';

/** Chooses routes for a sweep over all of them. */

/** The kind whose collection a path begins with. */
export const kindAt = (service: Service, path: string): Kind | undefined =>
  service.registry.kinds.find((one) => path === `/v1/${one.path}` || path.startsWith(`/v1/${one.path}/`));

/** A route that many kinds have is met for so many of them. */
const KINDS_PER_ROUTE = 2;

/** Of the routes that many kinds have in common those of some kinds, and all others. */
export const representativeRoutes = (service: Service, routes: readonly Route[]): readonly Route[] => {
  const lineOf = ({ method, path }: Route) => {
    const kind = kindAt(service, path);
    return kind && { line: `${method} ${path.replace(`/v1/${kind.path}`, '/v1/{collection}')}`, type: kind.entityType };
  };
  const types = new Map<string, string[]>();
  for (const route of routes) {
    const found = lineOf(route);
    if (found) types.set(found.line, [...(types.get(found.line) ?? []), found.type]);
  }
  const shared = new Map([...types].filter(([, { length }]) => length > KINDS_PER_ROUTE));
  const chosen = chooseForTitles(shared, KINDS_PER_ROUTE);
  return routes.filter((route) => {
    const { line = '', type = '' } = lineOf(route) ?? {};
    return chosen.get(line)?.has(type) ?? true;
  });
};
