import type { ColumnEdge, LineageEdge, LineageGraph, LineageNode } from '../api/types.ts';
import type { Box, FormerPlaces, Link, Placement } from '../layout/placement.ts';
import { reloadForFiles } from '../session/reload.ts';
import type { NamedColumn } from './columns.ts';
import type { DifferenceResult, GraphReply, GraphRequest, GraphTask } from './graph-worker.ts';
import type { LineageDifference } from './read-difference.ts';

/** Hands work on large graphs to a worker, which is started when there is some. */

type Waiting = {
  readonly nodes: LineageNode[];
  readonly edges: LineageEdge[];
  readonly resolve: (result: unknown) => void;
  readonly reject: (failure: Error) => void;
};

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, Waiting>();

const take = ({ data }: MessageEvent<GraphReply>): void => {
  const asked = waiting.get(data.number);
  if (!asked) return;
  if ('nodes' in data) asked.nodes.push(...data.nodes);
  else if ('edges' in data) asked.edges.push(...data.edges);
  else {
    waiting.delete(data.number);
    if ('failure' in data) asked.reject(new Error(data.failure));
    else asked.resolve(data.result);
  }
};

const start = (): Worker => {
  const started = new Worker(new URL('./graph-worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', take);
  started.addEventListener('error', (event) => {
    // Without a message, the script of the worker could not be loaded.
    if (!(event instanceof ErrorEvent)) reloadForFiles();
    // The next task starts another worker.
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new Error('The page could not read the lineage. Try again'));
    waiting.clear();
  });
  return started;
};

const run = (task: GraphTask) =>
  new Promise<Pick<Waiting, 'nodes' | 'edges'> & { readonly result: unknown }>((resolve, reject) => {
    worker ??= start();
    last += 1;
    const [nodes, edges]: [LineageNode[], LineageEdge[]] = [[], []];
    waiting.set(last, { nodes, edges, resolve: (result) => resolve({ nodes, edges, result }), reject });
    worker.postMessage({ number: last, task } satisfies GraphRequest);
  });

export const readGraphBeside = async (text: string): Promise<LineageGraph> => {
  const { nodes, edges, result } = await run({ kind: 'graph', text });
  return { ...(result as Omit<LineageGraph, 'nodes' | 'edges'>), nodes, edges };
};

const takeDifference = ({ nodes, edges, result }: Awaited<ReturnType<typeof run>>): LineageDifference => {
  const { addedNodes, addedEdges, ...rest } = result as DifferenceResult;
  return {
    ...rest,
    added: { nodes: nodes.slice(0, addedNodes), edges: edges.slice(0, addedEdges) },
    removed: { nodes: nodes.slice(addedNodes), edges: edges.slice(addedEdges) },
  };
};

export const readDifferenceBeside = async (text: string, isTruncated: boolean): Promise<LineageDifference> =>
  takeDifference(await run({ kind: 'difference', text, isTruncated }));

export const compareBeside = async (before: string, after: string): Promise<LineageDifference> =>
  takeDifference(await run({ kind: 'comparison', before, after }));

export const readColumnEdgesBeside = async (text: string, id: string) =>
  (await run({ kind: 'column edges', text, id })).result as readonly ColumnEdge[];

export const readOwnColumnsBeside = async (text: string) =>
  (await run({ kind: 'own columns', text })).result as readonly NamedColumn[];

export const placeBeside = async (boxes: readonly Box[], links: readonly Link[], former?: FormerPlaces) =>
  (await run({ kind: 'places', boxes, links, former })).result as Placement;
