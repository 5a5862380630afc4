import type { AncestorNode, InheritedNode, RefNode } from '../../catalog/queries.ts';
import { statement, template } from '../../graph/statement.ts';
import type { Stored } from '../edge.ts';
import type { EdgeTuple } from '../queries.ts';

type PastWalk = { readonly id: string; readonly at: number; readonly nodes: number; readonly edges: number };

/** An edge as it was at some time: who said what of it then. */
export type PastEdge = { readonly from: string; readonly to: string; readonly assertions: readonly Stored[] };
export type PastStep = PastEdge & { readonly node: RefNode };

const past = { params: ['id', 'at', 'nodes', 'edges'], row: ['from', 'to', 'node', 'assertions'] } as const;

/** Like walks of the present, these are made for one step less than the edges they answer. */
export const pastWalks = {
  upstream: template<PastWalk, PastStep>('lineage/walk_past_upstream', 'DEPTH', past),
  downstream: template<PastWalk, PastStep>('lineage/walk_past_downstream', 'DEPTH', past),
};

type Among = { readonly near: readonly string[]; readonly ids: readonly string[]; readonly limit: number };

export const listAmong = statement<Among, { edge: EdgeTuple }>('lineage/list_among', {
  params: ['near', 'ids', 'limit'],
  row: ['edge'],
});

export const listPastAmong = statement<Among & { at: number }, PastEdge>('lineage/list_past_among', {
  params: ['near', 'ids', 'limit', 'at'],
  row: ['from', 'to', 'assertions'],
});

export type NeighbourCount = { readonly id: string; readonly upstream: number; readonly downstream: number };

/** Deleted ones are counted when `deleted` is true, others when it is false, all when it is null. */
export const countNeighbours = statement<
  { ids: readonly string[]; at: number; deleted: boolean | null },
  NeighbourCount
>('lineage/count_neighbours', { params: ['ids', 'at', 'deleted'], row: ['id', 'upstream', 'downstream'] });

export type DescriptionRow = {
  readonly id: string;
  /** The record that holds all others it lies in; itself when nothing does. */
  readonly roots: readonly AncestorNode[];
  readonly owners: readonly InheritedNode[];
  readonly domains: readonly InheritedNode[];
  readonly tags: readonly string[];
};

export const describeNodes = statement<{ ids: readonly string[] }, DescriptionRow>('lineage/describe_nodes', {
  params: ['ids'],
  row: ['id', 'roots', 'owners', 'domains', 'tags'],
});
