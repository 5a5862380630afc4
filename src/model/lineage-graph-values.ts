import * as v from 'valibot';
import { EXECUTION_STATUSES } from './contract-values.ts';
import { LineageDetails } from './lineage-values.ts';
import { TEST_STATUSES } from './test-values.ts';
import { Flag, Fqn, Integer, listOf, must, oneOf, openShape, Ref, shape, Text, Timestamp, Uuid } from './values.ts';

const Node = openShape('LineageNode', {
  id: must(Uuid),
  type: must(Text),
  hidden: Flag,
  depth: Integer,
  service: Ref,
  owners: listOf(Ref),
  tier: Text,
  domains: listOf(Ref),
  contractStatus: oneOf(EXECUTION_STATUSES),
  testStatus: oneOf(TEST_STATUSES),
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

const GraphPart = shape('LineageGraphPart', {
  nodes: must(listOf(Node)),
  edges: must(listOf(NativeEdge)),
  columnEdges: must(listOf(ColumnEdge)),
});

const EdgeEnds = shape('LineageEdgeEnds', { fromEntity: must(Uuid), toEntity: must(Uuid) });
const EdgeTold = shape('LineageEdgeTold', { description: Text, lineageDetails: LineageDetails });
const ChangedEdge = shape('ChangedLineageEdge', {
  edge: must(EdgeEnds),
  before: must(EdgeTold),
  after: must(EdgeTold),
});

export const LineageDiff = shape('LineageDiff', {
  added: must(GraphPart),
  removed: must(GraphPart),
  changed: must(listOf(ChangedEdge)),
});

/** A step between records, or, where columns were asked for, between columns. */
const PathStep = shape('LineagePathStep', {
  fromEntity: must(Uuid),
  toEntity: must(Uuid),
  fromColumn: Fqn,
  toColumn: Fqn,
  description: Text,
  lineageDetails: LineageDetails,
});

const Path = shape('LineagePath', {
  length: must(Integer),
  nodes: must(listOf(Ref)),
  edges: must(listOf(PathStep)),
});

export const LineagePaths = shape('LineagePaths', { paths: must(listOf(Path)), truncated: must(Flag) });

/** A record, or that there is one. */
const RefOrStub = openShape('ReferenceOrStub', { id: must(Uuid), type: must(Text), hidden: Flag });

/** A contract, and which of its clauses a change breaks. */
const AffectedContract = shape('AffectedContract', {
  id: must(Uuid),
  fqn: must(Text),
  status: oneOf(EXECUTION_STATUSES),
  broken: must(listOf(Text)),
});

const AffectedEntity = shape('AffectedEntity', {
  entity: must(RefOrStub),
  columns: must(listOf(Fqn)),
  depth: must(Integer),
  path: must(listOf(RefOrStub)),
  certainty: must(oneOf(['certain', 'possible'])),
  owners: must(listOf(Ref)),
  contracts: must(listOf(AffectedContract)),
  tests: must(listOf(Ref)),
  tier: Text,
});

export const LineageImpact = shape('LineageImpact', {
  root: must(openShape('ImpactRoot', { id: must(Uuid), type: must(Text), contracts: listOf(AffectedContract) })),
  affected: must(listOf(AffectedEntity)),
  summary: must(
    shape('ImpactSummary', {
      entities: must(Integer),
      columns: must(Integer),
      contracts: must(Integer),
      tests: must(Integer),
      owners: must(Integer),
    }),
  ),
});

const DanglingColumn = shape('DanglingColumn', { entity: must(Ref), column: must(Fqn), edge: must(EdgeEnds) });

const UnconfirmedEdge = shape('UnconfirmedLineageEdge', {
  fromEntity: must(Ref),
  toEntity: must(Ref),
  seenAt: must(Timestamp),
});

const UnownedHub = shape('UnownedHub', { entity: must(Ref), upstream: must(Integer), downstream: must(Integer) });

export const LineageHealth = shape('LineageHealth', {
  cycles: must(listOf(listOf(Ref))),
  orphans: must(listOf(Ref)),
  danglingColumns: must(listOf(DanglingColumn)),
  unconfirmedEdges: must(listOf(UnconfirmedEdge)),
  unownedHubs: must(listOf(UnownedHub)),
  truncated: must(listOf(Text)),
});
