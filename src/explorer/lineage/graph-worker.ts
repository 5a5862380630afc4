import type { LineageEdge, LineageNode } from '../api/types.ts';
import { placeBoxes } from '../layout/place-boxes.ts';
import type { Box, FormerPlaces, Link } from '../layout/placement.ts';
import { readColumnEdges, readGraphAnswer, readOwnColumns } from './read-answer.ts';
import { compareAnswers, type LineageDifference, readDifference } from './read-difference.ts';

/** Works on large graphs beside the page. Its answers come in pieces, so that taking them holds the page up only shortly. */

export type GraphTask =
  | { readonly kind: 'graph'; readonly text: string }
  | { readonly kind: 'difference'; readonly text: string; readonly isTruncated: boolean }
  | { readonly kind: 'comparison'; readonly before: string; readonly after: string }
  | { readonly kind: 'column edges'; readonly text: string; readonly id: string }
  | { readonly kind: 'own columns'; readonly text: string }
  | {
      readonly kind: 'places';
      readonly boxes: readonly Box[];
      readonly links: readonly Link[];
      readonly former: FormerPlaces | undefined;
    };

export type DifferenceResult = Omit<LineageDifference, 'added' | 'removed'> & {
  readonly addedNodes: number;
  readonly addedEdges: number;
};

export type GraphRequest = { readonly number: number; readonly task: GraphTask };

export type GraphReply =
  | { readonly number: number; readonly nodes: readonly LineageNode[] }
  | { readonly number: number; readonly edges: readonly LineageEdge[] }
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failure: string };

const NODES_AT_ONCE = 1000;
const EDGES_AT_ONCE = 4000;

const reply = (message: GraphReply): void => self.postMessage(message);

type Pieces = { readonly nodes: readonly LineageNode[]; readonly edges: readonly LineageEdge[] };

const replyInPieces = (number: number, { nodes, edges }: Pieces, result: unknown): void => {
  for (let start = 0; start < nodes.length; start += NODES_AT_ONCE)
    reply({ number, nodes: nodes.slice(start, start + NODES_AT_ONCE) });
  for (let start = 0; start < edges.length; start += EDGES_AT_ONCE)
    reply({ number, edges: edges.slice(start, start + EDGES_AT_ONCE) });
  reply({ number, result });
};

const replyGraph = (number: number, text: string): void => {
  const { nodes, edges, ...rest } = readGraphAnswer(text);
  replyInPieces(number, { nodes, edges }, rest);
};

/** What is new comes first, and the result says how much of it there is. */
const replyDifference = (number: number, { added, removed, ...rest }: LineageDifference): void => {
  const pieces = { nodes: [...added.nodes, ...removed.nodes], edges: [...added.edges, ...removed.edges] };
  const result: DifferenceResult = { ...rest, addedNodes: added.nodes.length, addedEdges: added.edges.length };
  replyInPieces(number, pieces, result);
};

const work = (task: Exclude<GraphTask, { kind: 'graph' | 'difference' | 'comparison' }>): unknown => {
  if (task.kind === 'column edges') return readColumnEdges(task.text, task.id);
  if (task.kind === 'own columns') return readOwnColumns(task.text);
  return placeBoxes(task.boxes, task.links, task.former);
};

self.addEventListener('message', ({ data: { number, task } }: MessageEvent<GraphRequest>) => {
  try {
    if (task.kind === 'graph') replyGraph(number, task.text);
    else if (task.kind === 'difference') replyDifference(number, readDifference(task.text, task.isTruncated));
    else if (task.kind === 'comparison') replyDifference(number, compareAnswers(task.before, task.after));
    else reply({ number, result: work(task) });
  } catch (failure) {
    reply({ number, failure: failure instanceof Error ? failure.message : String(failure) });
  }
});
