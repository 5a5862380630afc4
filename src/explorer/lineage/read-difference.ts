import type { LineageEdge, LineageNode, Schemas } from '../api/types.ts';
import { edgeKey } from './edge-key.ts';
import { createRecordReader } from './read-answer.ts';

/** Reads what differs between two times. It runs in the worker, as what reads other large answers does. */

export type LineageDifference = {
  readonly added: DifferentPart;
  readonly removed: DifferentPart;
  /** The keys of the edges of which something else is said. What was said before is read when somebody looks at one. */
  readonly changed: readonly string[];
  readonly isTruncated: boolean;
};

type DifferentPart = { readonly nodes: readonly LineageNode[]; readonly edges: readonly LineageEdge[] };

/** What differs around several records. */
export const joinDifferences = (all: readonly LineageDifference[]): LineageDifference => {
  const joinPart = (parts: readonly DifferentPart[]): DifferentPart => ({
    nodes: parts.flatMap(({ nodes }) => nodes),
    edges: parts.flatMap(({ edges }) => edges),
  });
  return {
    added: joinPart(all.map(({ added }) => added)),
    removed: joinPart(all.map(({ removed }) => removed)),
    changed: all.flatMap(({ changed }) => changed),
    isTruncated: all.some(({ isTruncated }) => isTruncated),
  };
};

/** The comparison that the API makes; whether it is cut is said beside it. */
export const readDifference = (text: string, isTruncated: boolean): LineageDifference => {
  const { added, removed, changed, entities }: Schemas['CompactLineageDiff'] = JSON.parse(text);
  const { node, edge } = createRecordReader(entities);
  const readPart = ({ nodes, edges }: typeof added): DifferentPart => ({
    nodes: nodes.map(node),
    edges: edges.map(edge),
  });
  return {
    added: readPart(added),
    removed: readPart(removed),
    changed: changed.map((one) => edgeKey(one.edge)),
    isTruncated,
  };
};

type CompactGraph = Schemas['CompactLineageGraph'];
type CompactEdge = CompactGraph['edges'][number];

/** What one graph has and another has not. */
const partOnlyIn = ({ nodes, edges, entities }: CompactGraph, other: CompactGraph): DifferentPart => {
  const { node, edge } = createRecordReader(entities);
  const [otherNodes, otherEdges] = [new Set(other.nodes), new Set(other.edges.map(edgeKey))];
  return {
    nodes: nodes.filter((id) => !otherNodes.has(id)).map(node),
    edges: edges.filter((one) => !otherEdges.has(edgeKey(one))).map(edge),
  };
};

/** What is said of an edge, in an order that does not change. */
const contentOf = ({ bridged, description, lineageDetails }: CompactEdge): string =>
  JSON.stringify([bridged, description, lineageDetails]);

/**
 * Compares two graphs of one record. The API compares whole lineages only, so that filtered ones are compared here, with
 * their bridges.
 */
export const compareAnswers = (beforeText: string, afterText: string): LineageDifference => {
  const answers: readonly [CompactGraph, CompactGraph] = [JSON.parse(beforeText), JSON.parse(afterText)];
  const [before, after] = answers;
  const former = new Map(before.edges.map((edge) => [edgeKey(edge), contentOf(edge)]));
  return {
    added: partOnlyIn(after, before),
    removed: partOnlyIn(before, after),
    changed: after.edges.flatMap((edge) => {
      const content = former.get(edgeKey(edge));
      return content !== undefined && content !== contentOf(edge) ? [edgeKey(edge)] : [];
    }),
    isTruncated: answers.some(({ truncated }) => truncated),
  };
};
