import * as v from 'valibot';
import { LineageDetails } from './lineage-values.ts';
import { Flag, Fqn, Integer, listOf, must, openShape, Ref, shape, Text, Timestamp, Uuid } from './values.ts';

const Node = openShape('LineageNode', {
  id: must(Uuid),
  type: must(Text),
  hidden: Flag,
  depth: Integer,
  service: Ref,
  owners: listOf(Ref),
  tier: Text,
  domains: listOf(Ref),
  columns: listOf(shape('LineageColumn', { name: must(Text), fullyQualifiedName: must(Fqn) })),
});

const NativeEdge = shape('NativeLineageEdge', {
  fromEntity: must(Uuid),
  toEntity: must(Uuid),
  description: Text,
  lineageDetails: LineageDetails,
  bridged: Flag,
});

const ColumnEdge = shape('ColumnLineageEdge', {
  fromEntity: must(Uuid),
  fromColumn: must(Fqn),
  toEntity: must(Uuid),
  toColumn: must(Fqn),
  function: Text,
});

const Counts = shape('HiddenCounts', { upstream: must(Integer), downstream: must(Integer) });

export const NativeGraph = shape('LineageGraph', {
  root: must(Ref),
  nodes: must(listOf(Node)),
  edges: must(listOf(NativeEdge)),
  columnEdges: must(listOf(ColumnEdge)),
  truncated: must(Flag),
  frontier: must(listOf(Uuid)),
  hiddenCounts: must(v.record(Uuid, Counts)),
  asOf: must(Timestamp),
});
