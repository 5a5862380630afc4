import * as v from 'valibot';
import {
  AssetCertification,
  Flag,
  Fqn,
  Fraction,
  Integer,
  listOf,
  must,
  oneOf,
  Ref,
  refMembers,
  shape,
  TagLabel,
  Text,
  Timestamp,
  Uuid,
} from '../../values.ts';
import { EXECUTION_STATUSES } from '../contracts/contract.ts';
import { InsightPaging } from '../insight/paging.ts';
import { TEST_STATUSES } from '../quality/test-case.ts';
import { AssetGroups, ContractClauses, Entities, LineageColumn, refOrStubMembers } from './fitted-answer.ts';
import { CompactLineageAssertion, CompactLineageDetails, LineageAssertion, LineageDetails } from './lineage.ts';

/**
 * The schemas of answers about the lineage graph: neighbourhoods, differences, paths and impact. Each has a compact form,
 * with IDs in the places of references.
 */

const descriptionMembers = { service: Ref, owners: listOf(Ref), tier: Text, domains: listOf(Ref) };

const LineageNode = shape('LineageNode', {
  ...refOrStubMembers,
  depth: Integer,
  ...descriptionMembers,
  contractStatus: oneOf(EXECUTION_STATUSES),
  testStatus: oneOf(TEST_STATUSES),
  columns: listOf(LineageColumn),
  serviceType: Text,
  tableType: Text,
  tags: listOf(TagLabel),
  certification: AssetCertification,
  failingTests: Integer,
  importance: Fraction,
});

/** What an edge tells of its details where `edgeFields` leaves some out. */
const countMembers = { hasSql: Flag, columnPairs: Integer };

/** What a bridge leads over: how many assets on a shortest way, and the first of them. */
const BridgedAssets = shape('BridgedAssets', { count: must(Integer), ids: must(listOf(Uuid)) });

const bridgeMembers = { bridged: Flag, over: BridgedAssets };

const edgeMembers = {
  fromEntity: must(Uuid),
  toEntity: must(Uuid),
  description: Text,
  ...bridgeMembers,
  ...countMembers,
};

const LineageGraphEdge = shape('NativeLineageEdge', {
  ...edgeMembers,
  lineageDetails: LineageDetails,
  assertions: listOf(LineageAssertion),
});
const CompactGraphEdge = shape('CompactNativeLineageEdge', {
  ...edgeMembers,
  lineageDetails: CompactLineageDetails,
  assertions: listOf(CompactLineageAssertion),
});

const LineageColumnEdge = shape('ColumnLineageEdge', {
  fromEntity: must(Uuid),
  fromColumn: must(Fqn),
  toEntity: must(Uuid),
  toColumn: must(Fqn),
  function: Text,
});

const countsBySide = { upstream: must(Integer), downstream: must(Integer) };

const HiddenCounts = shape('HiddenCounts', { ...countsBySide, filtered: shape('FilteredCounts', countsBySide) });

const LineageTrail = shape('LineageTrail', {
  columns: must(Integer),
  assets: must(Integer),
  cutColumns: must(Integer),
  cutAssets: must(Integer),
});

const graphMembers = {
  columnEdges: must(listOf(LineageColumnEdge)),
  truncated: must(Flag),
  frontier: must(listOf(Uuid)),
  hiddenCounts: must(v.record(Uuid, HiddenCounts)),
  asOf: must(Timestamp),
  trail: LineageTrail,
  groups: AssetGroups,
};

const LineageGraph = shape('LineageGraph', {
  root: must(Ref),
  roots: listOf(Ref),
  nodes: must(listOf(LineageNode)),
  edges: must(listOf(LineageGraphEdge)),
  ...graphMembers,
});

const CompactLineageGraph = shape('CompactLineageGraph', {
  root: must(Uuid),
  roots: listOf(Uuid),
  nodes: must(listOf(Uuid)),
  edges: must(listOf(CompactGraphEdge)),
  ...graphMembers,
  entities: must(Entities),
});

/** The most records among which lineage is asked for. */
const MOST_NAMED = 2000;

export const LineageAmongQuestion = shape('LineageAmongQuestion', { ids: must(listOf(Uuid, MOST_NAMED)) });

const LineageAmong = shape('LineageAmong', {
  nodes: must(listOf(LineageNode)),
  edges: must(listOf(LineageGraphEdge)),
  ...graphMembers,
});

const CompactLineageAmong = shape('CompactLineageAmong', {
  nodes: must(listOf(Uuid)),
  edges: must(listOf(CompactGraphEdge)),
  ...graphMembers,
  entities: must(Entities),
});

const neighbourMembers = {
  types: must(listOf(shape('NeighbourType', { type: must(Text), count: must(Integer) }))),
  paging: must(InsightPaging),
};

const LineageNeighbours = shape('LineageNeighbours', {
  root: must(Ref),
  nodes: must(listOf(LineageNode)),
  edges: must(listOf(LineageGraphEdge)),
  ...graphMembers,
  ...neighbourMembers,
});

const CompactLineageNeighbours = shape('CompactLineageNeighbours', {
  root: must(Uuid),
  nodes: must(listOf(Uuid)),
  edges: must(listOf(CompactGraphEdge)),
  ...graphMembers,
  ...neighbourMembers,
  entities: must(Entities),
});

export const LineageNeighboursAnswer = v.union([LineageNeighbours, CompactLineageNeighbours]);

export const LineageAmongAnswer = v.union([LineageAmong, CompactLineageAmong]);

export const LineageGraphAnswer = v.union([LineageGraph, CompactLineageGraph]);

const GraphPart = shape('LineageGraphPart', {
  nodes: must(listOf(LineageNode)),
  edges: must(listOf(LineageGraphEdge)),
  columnEdges: must(listOf(LineageColumnEdge)),
});

const CompactGraphPart = shape('CompactLineageGraphPart', {
  nodes: must(listOf(Uuid)),
  edges: must(listOf(CompactGraphEdge)),
  columnEdges: must(listOf(LineageColumnEdge)),
});

const LineageEndpoints = shape('LineageEdgeEnds', { fromEntity: must(Uuid), toEntity: must(Uuid) });
const contentMembers = { description: Text, ...bridgeMembers, ...countMembers };
const LineageEdgeContent = shape('LineageEdgeTold', { ...contentMembers, lineageDetails: LineageDetails });
const ChangedEdge = shape('ChangedLineageEdge', {
  edge: must(LineageEndpoints),
  before: must(LineageEdgeContent),
  after: must(LineageEdgeContent),
});

const LineageDiff = shape('LineageDiff', {
  added: must(GraphPart),
  removed: must(GraphPart),
  changed: must(listOf(ChangedEdge)),
  groups: AssetGroups,
});

const CompactEdgeContent = shape('CompactLineageEdgeTold', {
  ...contentMembers,
  lineageDetails: CompactLineageDetails,
});
const CompactChangedEdge = shape('CompactChangedLineageEdge', {
  edge: must(LineageEndpoints),
  before: must(CompactEdgeContent),
  after: must(CompactEdgeContent),
});

const CompactLineageDiff = shape('CompactLineageDiff', {
  added: must(CompactGraphPart),
  removed: must(CompactGraphPart),
  changed: must(listOf(CompactChangedEdge)),
  groups: AssetGroups,
  entities: must(Entities),
});

export const LineageDiffAnswer = v.union([LineageDiff, CompactLineageDiff]);

/** A step between records, or between columns when columns were requested. */
const stepMembers = {
  fromEntity: must(Uuid),
  toEntity: must(Uuid),
  fromColumn: Fqn,
  toColumn: Fqn,
  description: Text,
  ...countMembers,
};
const PathStep = shape('LineagePathStep', { ...stepMembers, lineageDetails: LineageDetails });
const CompactPathStep = shape('CompactLineagePathStep', { ...stepMembers, lineageDetails: CompactLineageDetails });

const LineagePath = shape('LineagePath', {
  length: must(Integer),
  nodes: must(listOf(shape('LineagePathNode', { ...refMembers, ...descriptionMembers }))),
  edges: must(listOf(PathStep)),
});

const CompactLineagePath = shape('CompactLineagePath', {
  length: must(Integer),
  nodes: must(listOf(Uuid)),
  edges: must(listOf(CompactPathStep)),
});

const LineagePaths = shape('LineagePaths', {
  paths: must(listOf(LineagePath)),
  truncated: must(Flag),
  groups: AssetGroups,
});

const CompactLineagePaths = shape('CompactLineagePaths', {
  paths: must(listOf(CompactLineagePath)),
  truncated: must(Flag),
  groups: AssetGroups,
  entities: must(Entities),
});

export const LineagePathsAnswer = v.union([LineagePaths, CompactLineagePaths]);

const RefOrStub = shape('ReferenceOrStub', refOrStubMembers);

const rowMembers = {
  columns: must(listOf(Fqn)),
  depth: must(Integer),
  certainty: must(oneOf(['certain', 'possible'])),
  contracts: must(listOf(ContractClauses)),
  tier: Text,
};

/** An asset that a change affects. */
export const AffectedEntity = shape('AffectedEntity', {
  ...rowMembers,
  entity: must(RefOrStub),
  path: must(listOf(RefOrStub)),
  owners: listOf(Ref),
  tests: must(listOf(Ref)),
  service: Ref,
  domains: listOf(Ref),
});

const CompactAffectedEntity = shape('CompactAffectedEntity', {
  ...rowMembers,
  entity: must(Uuid),
  path: must(listOf(Uuid)),
  owners: listOf(Uuid),
  tests: must(listOf(Uuid)),
  service: Uuid,
  domains: listOf(Uuid),
  inherits: listOf(Uuid),
});

const ImpactSummary = shape('ImpactSummary', {
  entities: must(Integer),
  columns: must(Integer),
  contracts: must(Integer),
  tests: must(Integer),
  owners: must(Integer),
});

const LineageImpact = shape('LineageImpact', {
  root: must(
    shape('ImpactRoot', {
      ...refOrStubMembers,
      contracts: listOf(ContractClauses),
      tests: listOf(Ref),
    }),
  ),
  affected: must(listOf(AffectedEntity)),
  summary: must(ImpactSummary),
  groups: AssetGroups,
});

const CompactLineageImpact = shape('CompactLineageImpact', {
  root: must(Uuid),
  affected: must(listOf(CompactAffectedEntity)),
  summary: must(ImpactSummary),
  groups: AssetGroups,
  entities: must(Entities),
});

export const LineageImpactAnswer = v.union([LineageImpact, CompactLineageImpact]);

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
