import * as v from 'valibot';
import { AnyJson, Flag, Fqn, Integer, listOf, must, oneOf, Ref, shape, Text } from '../../values.ts';

/** The schema of scenes: lineage drawn together to the level that a map shows. */

export const SCENE_LENSES = ['service', 'domain', 'dataProduct'] as const;
export type SceneLens = (typeof SCENE_LENSES)[number];

export const SCENE_BANDS = ['LAYER', 'ASSET', 'FIELD'] as const;
export type SceneBand = (typeof SCENE_BANDS)[number];

const LEVEL_KINDS = [
  'service',
  'database',
  'schema',
  'table',
  'column',
  'topic',
  'field',
  'dashboard',
  'dashboardDataModel',
  'chart',
  'model',
  'feature',
  'pipeline',
  'storedProcedure',
  'task',
  'domain',
  'dataProduct',
  'container',
  'searchIndex',
  'apiEndpoint',
  'metric',
  'directory',
  'file',
  'asset',
] as const;
export type LevelKind = (typeof LEVEL_KINDS)[number];

const Lens = oneOf(SCENE_LENSES);
const Band = oneOf(SCENE_BANDS);
const Level = oneOf(LEVEL_KINDS);

const LineageSceneField = shape('LineageSceneField', {
  id: must(Text),
  name: must(Text),
  fullyQualifiedName: Fqn,
  dataType: Text,
});

const LineageSceneBreadcrumb = shape('LineageSceneBreadcrumb', {
  id: must(Text),
  label: must(Text),
  fullyQualifiedName: Fqn,
  entityType: Text,
  levelKind: must(Level),
  band: must(Band),
});

const LineageSceneNode = shape('LineageSceneNode', {
  id: must(Text),
  fullyQualifiedName: Fqn,
  entityType: Text,
  levelKind: must(Level),
  band: must(Band),
  serviceType: Text,
  label: must(Text),
  displayName: Text,
  parentId: Text,
  parentFqn: Fqn,
  childrenCount: Integer,
  hiddenChildrenCount: Integer,
  counts: v.record(v.string(), Integer),
  fields: listOf(LineageSceneField),
  isFocus: Flag,
  isOrigin: Flag,
  isExpandable: Flag,
  isGhost: Flag,
  certification: Text,
  sourceEntity: v.record(v.string(), AnyJson),
});

const LineageSceneEdge = shape('LineageSceneEdge', {
  id: must(Text),
  from: must(Text),
  to: must(Text),
  band: must(Band),
  isRollup: Flag,
  weight: Integer,
  source: Text,
  sqlQuery: Text,
  description: Text,
  pipeline: Ref,
  transform: Text,
  underlyingEdgeIds: listOf(Text),
});

export const LineageScene = shape('LineageScene', {
  lens: must(Lens),
  band: must(Band),
  focusFqn: Fqn,
  focusEntityType: Text,
  originFqn: Fqn,
  originEntityType: Text,
  nodes: must(listOf(LineageSceneNode)),
  edges: must(listOf(LineageSceneEdge)),
  breadcrumb: must(listOf(LineageSceneBreadcrumb)),
  hiddenNodeCount: Integer,
  sampled: Flag,
});
