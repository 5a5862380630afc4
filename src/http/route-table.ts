import { nearestOf } from '../model/nearest.ts';
import type { HttpMethod, Route } from './route.ts';
import { decodeSegment } from './url.ts';

type ParameterPosition = { readonly name: string; readonly index: number };

/** A declared route with what is computed from it when the table is built. */
export type MountedRoute = {
  readonly route: Route;
  readonly parameters: readonly ParameterPosition[];
  /** The query parameters that the route declares. */
  readonly queryNames: ReadonlySet<string>;
};

/** All routes with the same path pattern. */
export type PathEntry = {
  /** The path as declared, which logs and metrics use. */
  readonly pattern: string;
  readonly byMethod: ReadonlyMap<string, MountedRoute>;
  /** The value of an `Allow` header. */
  readonly allow: string;
};

export type RouteTable = {
  /** Finds the routes of a path, given its encoded segments. Literal segments take precedence over parameters. */
  readonly find: (segments: readonly string[]) => PathEntry | undefined;
  /** The path that was probably meant by one that has no route. */
  readonly suggest: (segments: readonly string[]) => string | undefined;
};

type RouteNode = { literals: Map<string, RouteNode>; parameter?: RouteNode; entry?: PathEntry };

/** The first word of the paths of the API, which newcomers leave out. */
const API_VERSION = 'v1';

/** No route has more words. */
const MAX_CORRECTED = 16;

const createRouteNode = (): RouteNode => ({ literals: new Map() });

const isParameter = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}');

const childNodeFor = (node: RouteNode, segment: string): RouteNode => {
  if (isParameter(segment)) {
    node.parameter ??= createRouteNode();
    return node.parameter;
  }
  const known = node.literals.get(segment) ?? createRouteNode();
  node.literals.set(segment, known);
  return known;
};

const parameterPositions = (segments: readonly string[]): ParameterPosition[] =>
  segments.flatMap((segment, index) => (isParameter(segment) ? [{ name: segment.slice(1, -1), index }] : []));

const allowHeader = (methods: readonly string[]): string =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', ');

const addRoute = (entry: PathEntry | undefined, route: Route, parameters: readonly ParameterPosition[]): PathEntry => {
  if (entry?.byMethod.has(route.method)) {
    throw new Error(`${route.method} ${route.path} is declared twice (also as ${entry.pattern})`);
  }
  const queryNames = new Set((route.query ?? []).map(({ name }) => name));
  const byMethod = new Map(entry?.byMethod).set(route.method, { route, parameters, queryNames });
  return { pattern: entry?.pattern ?? route.path, byMethod, allow: allowHeader([...byMethod.keys()]) };
};

const findEntry = (node: RouteNode, segments: readonly string[], depth: number): PathEntry | undefined => {
  const segment = segments[depth];
  if (segment === undefined) return node.entry;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : findEntry(literal, segments, depth + 1);
  if (found !== undefined || node.parameter === undefined || segment === '') return found;
  return findEntry(node.parameter, segments, depth + 1);
};

/** Replaces words that no route has by the nearest ones; what stands for a parameter stays. */
const correctPath = (node: RouteNode, [segment, ...rest]: readonly string[]): readonly string[] | undefined => {
  if (segment === undefined) return node.entry && [];
  const below = (next: RouteNode | undefined, word: string): readonly string[] | undefined => {
    const path = next && correctPath(next, rest);
    return path && [word, ...path];
  };
  const nearest = nearestOf(segment, [...node.literals.keys()]);
  return (
    below(node.literals.get(segment), segment) ??
    (nearest === undefined ? undefined : below(node.literals.get(nearest), nearest)) ??
    (segment === '' ? undefined : below(node.parameter, segment))
  );
};

/** Builds the table. Throws when two declarations have the same method and path pattern. */
export const buildRouteTable = (routes: readonly Route[]): RouteTable => {
  const root = createRouteNode();
  for (const route of routes) {
    const segments = route.path.slice(1).split('/');
    const leaf = segments.reduce(childNodeFor, root);
    leaf.entry = addRoute(leaf.entry, route, parameterPositions(segments));
  }
  return Object.freeze({
    find: (segments: readonly string[]) => findEntry(root, segments, 0),
    suggest: (segments: readonly string[]) => {
      if (segments.length > MAX_CORRECTED) return undefined;
      const path = correctPath(root, segments) ?? correctPath(root, [API_VERSION, ...segments]);
      return path && `/${path.join('/')}`;
    },
  });
};

/** Finds the route for a method. HEAD uses the route of GET. */
export const routeForMethod = (entry: PathEntry, method: string): MountedRoute | undefined =>
  entry.byMethod.get(method === 'HEAD' ? ('GET' satisfies HttpMethod) : method);

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});

/** Reads the path parameters by name, each decoded exactly once. Throws 400 when one is malformed. */
export const readPathParameters = (
  { parameters }: MountedRoute,
  segments: readonly string[],
): Readonly<Record<string, string>> => {
  if (parameters.length === 0) return NO_PARAMETERS;
  const values: Record<string, string> = {};
  for (const { name, index } of parameters) values[name] = decodeSegment(segments[index] ?? '');
  return values;
};
