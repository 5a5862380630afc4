import * as v from 'valibot';
import { Flag, Fqn, Integer, listOf, must, oneOf, openShape, Ref, shape, Text, Timestamp, Uuid } from '../../values.ts';
import { EXECUTION_STATUSES } from '../contracts/contract.ts';
import { TEST_STATUSES } from '../quality/test-case.ts';
import { LineageDetails } from './lineage.ts';

/** The schemas of answers about the lineage graph: neighbourhoods, differences, paths and impact. */

const LineageNode = openShape('LineageNode', {
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

const LineageGraphEdge = shape('NativeLineageEdge', {
  fromEntity: must(Uuid),
  toEntity: must(Uuid),
  description: Text,
  lineageDetails: LineageDetails,
  bridged: Flag,
});

const LineageColumnEdge = shape('ColumnLineageEdge', {
  fromEntity: must(Uuid),
  fromColumn: must(Fqn),
  toEntity: must(Uuid),
  toColumn: must(Fqn),
  function: Text,
});

const HiddenCounts = shape('HiddenCounts', { upstream: must(Integer), downstream: must(Integer) });

export const LineageGraphAnswer = shape('LineageGraph', {
  root: must(Ref),
  nodes: must(listOf(LineageNode)),
  edges: must(listOf(LineageGraphEdge)),
  columnEdges: must(listOf(LineageColumnEdge)),
  truncated: must(Flag),
  frontier: must(listOf(Uuid)),
  hiddenCounts: must(v.record(Uuid, HiddenCounts)),
  asOf: must(Timestamp),
});

const GraphPart = shape('LineageGraphPart', {
  nodes: must(listOf(LineageNode)),
  edges: must(listOf(LineageGraphEdge)),
  columnEdges: must(listOf(LineageColumnEdge)),
});

const LineageEndpoints = shape('LineageEdgeEnds', { fromEntity: must(Uuid), toEntity: must(Uuid) });
const LineageEdgeContent = shape('LineageEdgeTold', { description: Text, lineageDetails: LineageDetails });
const ChangedEdge = shape('ChangedLineageEdge', {
  edge: must(LineageEndpoints),
  before: must(LineageEdgeContent),
  after: must(LineageEdgeContent),
});

export const LineageDiff = shape('LineageDiff', {
  added: must(GraphPart),
  removed: must(GraphPart),
  changed: must(listOf(ChangedEdge)),
});

/** A step between records, or between columns when columns were requested. */
const PathStep = shape('LineagePathStep', {
  fromEntity: must(Uuid),
  toEntity: must(Uuid),
  fromColumn: Fqn,
  toColumn: Fqn,
  description: Text,
  lineageDetails: LineageDetails,
});

const LineagePath = shape('LineagePath', {
  length: must(Integer),
  nodes: must(listOf(Ref)),
  edges: must(listOf(PathStep)),
});

export const LineagePaths = shape('LineagePaths', { paths: must(listOf(LineagePath)), truncated: must(Flag) });

/** A reference, or a stub for a hidden record that tells only that it exists. */
const RefOrStub = openShape('ReferenceOrStub', { id: must(Uuid), type: must(Text), hidden: Flag });

/** A contract, and the clauses that a change breaks. */
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
  root: must(
    openShape('ImpactRoot', {
      id: must(Uuid),
      type: must(Text),
      contracts: listOf(AffectedContract),
      tests: listOf(Ref),
    }),
  ),
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

const DanglingColumn = shape('DanglingColumn', { entity: must(Ref), column: must(Fqn), edge: must(LineageEndpoints) });

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
