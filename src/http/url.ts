import { badRequest } from '../errors.ts';

/** The parts of a request target that the route table, the handlers and the hrefs need. */
export type RequestUrl = {
  /** The alias in the request's path. Every `href` of the answer repeats it. */
  readonly prefix: '' | '/api';
  /** The path below the prefix, split at its slashes and still percent-encoded. */
  readonly segments: readonly string[];
  /** The query without its question mark, still encoded. */
  readonly query: string;
  /** Whether the path is below `/v1` or `/api`, where even a 404 requires a token. */
  readonly needsToken: boolean;
};

const STRAY_QUERY = '&include=';

/** Finds `&include=…` after a path without a query, which some clients send. An `&` within a name arrives encoded. */
const strayQueryStart = (path: string): number => {
  const start = path.indexOf(STRAY_QUERY);
  return start > path.lastIndexOf('/') ? start : -1;
};

const splitRequestTarget = (target: string): { path: string; query: string } => {
  const hash = target.indexOf('#');
  const whole = hash === -1 ? target : target.slice(0, hash);
  const mark = whole.indexOf('?');
  const path = mark === -1 ? whole : whole.slice(0, mark);
  const query = mark === -1 ? '' : whole.slice(mark + 1);
  const stray = strayQueryStart(path);
  return stray === -1 ? { path, query } : { path: path.slice(0, stray), query: `${path.slice(stray + 1)}&${query}` };
};

const isPathBelow = (path: string, root: string): boolean =>
  path.startsWith(root) && (path.length === root.length || path.charCodeAt(root.length) === 47);

/**
 * Parses a request target (`/api/v1/tables/name/a%2Fb?fields=tags`) without decoding it: decoding before the path is
 * split would turn an encoded slash into a separator. One trailing slash is dropped. Never throws.
 */
export const parseRequestTarget = (target: string): RequestUrl => {
  const { path, query } = splitRequestTarget(target);
  const prefix = isPathBelow(path, '/api/v1') ? '/api' : '';
  const end = path.length > 1 && path.charCodeAt(path.length - 1) === 47 ? path.length - 1 : path.length;
  const needsToken = isPathBelow(path, '/v1') || isPathBelow(path, '/api');
  return { prefix, segments: path.slice(prefix.length + 1, end).split('/'), query, needsToken };
};

/** Answers the part of an absolute address from its path on: `/v1/x?y` of `http://host/v1/x?y`. */
export const requestTargetOf = (address: string): string => {
  const start = address.indexOf('/', address.indexOf('://') + 3);
  return start === -1 ? '/' : address.slice(start);
};

/** Answers the part of an absolute address before its path: `http://host` of `http://host/v1/x?y`. */
export const originOf = (address: string): string => {
  const start = address.indexOf('/', address.indexOf('://') + 3);
  return start === -1 ? address : address.slice(0, start);
};

/** Decodes one path segment exactly once. Throws 400 when its percent-encoding is malformed. */
export const decodeSegment = (segment: string): string => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (failure) {
    throw badRequest('Malformed percent-encoding in path', failure);
  }
};

/** Parses the parameters of a query. Accepts several `&` in a row. Throws 400 when percent-encoding is malformed. */
export const parseQuery = (query: string): URLSearchParams => {
  if (query.includes('%')) {
    try {
      decodeURIComponent(query);
    } catch (failure) {
      throw badRequest('Malformed percent-encoding in query', failure);
    }
  }
  return new URLSearchParams(query);
};
