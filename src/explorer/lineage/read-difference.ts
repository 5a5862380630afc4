import type { LineageDiff, LineageEdge, LineageGraph, LineageNode } from '../api/types.ts';
import { edgeKey } from './graph-model.ts';
import { createShortener, MOST_DETAILED_EDGES, type Shorten, shortenEdge, shortenNode } from './read-answer.ts';

/** Reads what differs between two times. It runs in the worker, as what reads other large answers does. */

export type LineageDifference = {
  readonly added: DifferentPart;
  readonly removed: DifferentPart;
  /** The keys of the edges of which something else is said. What was said before is read when somebody looks at one. */
  readonly changed: readonly string[];
  /** Whether edges lack their details. */
  readonly isBrief: boolean;
  readonly isTruncated: boolean;
};

type DifferentPart = { readonly nodes: readonly LineageNode[]; readonly edges: readonly LineageEdge[] };

const shortenParts = (
  { added, removed }: Pick<LineageDifference, 'added' | 'removed'>,
  shorten: Shorten,
): Pick<LineageDifference, 'added' | 'removed' | 'isBrief'> => {
  const isBrief = added.edges.length + removed.edges.length > MOST_DETAILED_EDGES;
  const shortenPart = ({ nodes, edges }: DifferentPart): DifferentPart => ({
    nodes: nodes.map((node) => shortenNode(node, shorten)),
    edges: isBrief ? edges.map(shortenEdge) : edges,
  });
  return { added: shortenPart(added), removed: shortenPart(removed), isBrief };
};

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
    isBrief: all.some(({ isBrief }) => isBrief),
    isTruncated: all.some(({ isTruncated }) => isTruncated),
  };
};

/** The comparison that the API makes; whether it is cut is said beside it. */
export const readDifference = (text: string, isTruncated: boolean): LineageDifference => {
  const { added, removed, changed }: LineageDiff = JSON.parse(text);
  return {
    ...shortenParts({ added, removed }, createShortener()),
    changed: changed.map(({ edge }) => edgeKey(edge)),
    isTruncated,
  };
};

type Keyed = {
  readonly nodes: ReadonlyMap<string, LineageNode>;
  readonly edges: ReadonlyMap<string, LineageEdge>;
};

const byKey = ({ nodes, edges }: LineageGraph): Keyed => ({
  nodes: new Map(nodes.map((node) => [node.id, node])),
  edges: new Map(edges.map((edge) => [edgeKey(edge), edge])),
});

const partOnlyIn = (one: Keyed, other: Keyed): DifferentPart => ({
  nodes: [...one.nodes].flatMap(([id, node]) => (other.nodes.has(id) ? [] : [node])),
  edges: [...one.edges].flatMap(([key, edge]) => (other.edges.has(key) ? [] : [edge])),
});

/** What is said of an edge, in an order that does not change. */
const contentOf = ({ bridged, description, lineageDetails }: LineageEdge): string =>
  JSON.stringify([bridged, description, lineageDetails]);

/**
 * Compares two graphs of one record. The API compares whole lineages only, so that filtered ones are compared here, with
 * their bridges.
 */
export const compareAnswers = (beforeText: string, afterText: string): LineageDifference => {
  const answers: readonly [LineageGraph, LineageGraph] = [JSON.parse(beforeText), JSON.parse(afterText)];
  const [before, after] = [byKey(answers[0]), byKey(answers[1])];
  const parts = { added: partOnlyIn(after, before), removed: partOnlyIn(before, after) };
  return {
    ...shortenParts(parts, createShortener()),
    changed: [...after.edges].flatMap(([key, edge]) => {
      const former = before.edges.get(key);
      return former && contentOf(former) !== contentOf(edge) ? [key] : [];
    }),
    isTruncated: answers.some(({ truncated }) => truncated),
  };
};
