import { columnsOf } from '../api/asset-columns.ts';
import type { ColumnEdge, LineageEdge, LineageGraph, LineageNode, Reference } from '../api/types.ts';
import { type NamedColumn, nameColumns } from './columns.ts';

/** Reduces answers of the API to what the page shows of them. It runs in the worker: answers have up to 10,000 records. */

/** Of more edges than these, the SQL and the columns are read when somebody looks at an edge. */
export const MOST_DETAILED_EDGES = 500;

export type ReadGraph = LineageGraph & {
  /** Whether edges lack their details. */
  readonly isBrief: boolean;
};

export type Shorten = (reference: Reference) => Reference;

/** One object for each record that many others refer to: what is the same object is sent to the page once. */
export const createShortener = (): Shorten => {
  const known = new Map<string, Reference>();
  return (reference) => {
    const key = `${reference.type} ${reference.id} ${reference.inherited ?? ''}`;
    const former = known.get(key);
    if (former) return former;
    const { description: _, href: __, ...short } = reference;
    known.set(key, short);
    return short;
  };
};

export const shortenNode = ({ href: _, ...node }: LineageNode, shorten: Shorten): LineageNode => ({
  ...node,
  ...(node.service ? { service: shorten(node.service) } : {}),
  ...(node.owners ? { owners: node.owners.map(shorten) } : {}),
  ...(node.domains ? { domains: node.domains.map(shorten) } : {}),
});

export const shortenEdge = ({ lineageDetails, ...edge }: LineageEdge): LineageEdge => ({
  ...edge,
  ...(lineageDetails?.source ? { lineageDetails: { source: lineageDetails.source } } : {}),
});

export const readGraphAnswer = (text: string): ReadGraph => {
  const graph: LineageGraph = JSON.parse(text);
  const shorten = createShortener();
  const isBrief = graph.edges.length > MOST_DETAILED_EDGES;
  const hidden = Object.entries(graph.hiddenCounts).filter(([, { upstream, downstream }]) => upstream + downstream > 0);
  return {
    ...graph,
    nodes: graph.nodes.map((node) => shortenNode(node, shorten)),
    edges: isBrief ? graph.edges.map(shortenEdge) : graph.edges,
    hiddenCounts: Object.fromEntries(hidden),
    isBrief,
  };
};

/** The edges of the columns of one record. */
export const readColumnEdges = (text: string, id: string): readonly ColumnEdge[] => {
  const { columnEdges }: LineageGraph = JSON.parse(text);
  return columnEdges.filter(({ fromEntity, toEntity }) => fromEntity === id || toEntity === id);
};

/** All columns of a record in their order, nested ones after theirs. */
export const readOwnColumns = (text: string): readonly NamedColumn[] => nameColumns(columnsOf(JSON.parse(text)));
