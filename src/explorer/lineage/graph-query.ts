import type { Limits } from '../api/settings.ts';
import { filterQuery, type LineageChoice } from './choice.ts';
import type { Direction } from './graph-model.ts';

/** What the API is asked for a graph. */

/** The most that is asked for at once. What there is beyond is counted, and read from where one looks. */
export const MAX_NODES = 10_000;

/** The most records among which the API is asked for edges. Where more are shown, they were not unfolded one by one. */
export const MAX_JOINED = 2000;

/** What graphs tell of their edges. Everything else is read of the one that somebody looks at. */
export const BRIEF_EDGES = { edgeFields: 'source,sourceName,pipeline' } as const;

const NODE_FIELDS =
  'name,fullyQualifiedName,displayName,deleted,inherited,service,owners,tier,domains,depth,contractStatus,testStatus';

/** What graphs tell of their assets and edges. Descriptions may be long, so the one that somebody looks at is read. */
export const BRIEF_GRAPH = { fields: NODE_FIELDS, ...BRIEF_EDGES } as const;

/** The same, and when edges became known or changed. */
export const BRIEF_HISTORY = { ...BRIEF_GRAPH, edgeFields: `${BRIEF_EDGES.edgeFields},createdAt,updatedAt` } as const;

/** What trails tell: as all graphs do, and of columns also types, tags and tests. */
export const TRAIL_FIELDS = { fields: `${NODE_FIELDS},columns` } as const;

export type GraphQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** How many assets a graph has at most. */
export const mostNodes = ({ lineageNodes }: Limits): number => Math.min(MAX_NODES, lineageNodes);

/** Lowers what a query asks for to what the service answers; it refuses more. */
export const withinLimits = (query: GraphQuery, limits: Limits): GraphQuery => {
  const bounds = {
    maxNodes: limits.lineageNodes,
    upstreamDepth: limits.lineageDepth,
    downstreamDepth: limits.lineageDepth,
  };
  const bounded = Object.entries(bounds).flatMap(([name, most]) => {
    const value = query[name];
    return typeof value === 'number' ? [[name, Math.min(value, most)] as const] : [];
  });
  return { ...query, ...Object.fromEntries(bounded) };
};

export const filterOf = (choice: LineageChoice) => ({ asOf: choice.asOf, ...filterQuery(choice) });

export const depthsOf = ({ upstream, downstream }: LineageChoice) => ({
  upstreamDepth: upstream,
  downstreamDepth: downstream,
});

/** A step begins at a record and leads in one direction: `upstream:<id>`. */
export const readStep = (step: string): { readonly direction: Direction; readonly id: string } => {
  const [direction, id = ''] = step.split(':');
  return { direction: direction === 'upstream' ? 'upstream' : 'downstream', id };
};

export const writeStep = (direction: Direction, id: string): string => `${direction}:${id}`;

export const queryOfStep = (step: string): GraphQuery => {
  const { direction, id } = readStep(step);
  const isUp = direction === 'upstream';
  return { id, upstreamDepth: isUp ? 1 : 0, downstreamDepth: isUp ? 0 : 1 };
};

/** Of more neighbours than these, one picks those to be shown. */
const MOST_UNFOLDED = 25;

/** Goes on from a record: to all of its neighbours in a direction, or to a list of them where there are many. */
export const goOn = (
  { more }: Pick<LineageChoice, 'more'>,
  direction: Direction,
  id: string,
  count: number,
): Partial<LineageChoice> => {
  const step = writeStep(direction, id);
  if (count > MOST_UNFOLDED) return { picking: step, asset: undefined, edge: undefined };
  return more.includes(step) ? {} : { more: [...more, step] };
};
