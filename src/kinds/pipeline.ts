import { ancestor, columns, computedValue, property } from '../model/kind/attribute.ts';
import { keepCase } from '../model/kind/columns.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK } from '../model/kind/kind.ts';
import { PipelineStatus } from '../model/schemas/pipelines/pipeline-status.ts';
import {
  DateTime,
  Integer,
  listOf,
  Markdown,
  must,
  NameInput,
  oneOf,
  Ref,
  shape,
  TagLabel,
  Text,
  Url,
} from '../model/values.ts';

const Task = shape('Task', {
  name: must(NameInput),
  displayName: Text,
  fullyQualifiedName: Text,
  description: Markdown,
  sourceUrl: Url,
  downstreamTasks: listOf(Text),
  taskType: Text,
  taskSQL: Text,
  startDate: Text,
  endDate: Text,
  tags: listOf(TagLabel),
  owners: listOf(Ref),
});

export const pipeline = defineKind({
  entityType: 'pipeline',
  label: 'Pipeline',
  path: 'pipelines',
  title: 'Pipelines',
  isAsset: true,
  contract: {},
  parents: [childOf('service', 'pipelineService')],
  scopeDepth: 1,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: GATED_BLOCK,
  attributes: {
    concurrency: property(Integer),
    pipelineLocation: property(Text),
    startDate: property(DateTime),
    endDate: property(DateTime, { request: false, onAbsent: 'keep' }),
    state: property(oneOf(['Active', 'Inactive'])),
    service: ancestor('pipelineService'),
    serviceType: ancestor('pipelineService', 'serviceType'),
    scheduleInterval: property(Text),
    tasks: columns(listOf(Task), { gated: true, nameKey: keepCase, breaking: false, hasColumnLineage: false }),
    pipelineStatus: computedValue('pipelines/read_latest_run', PipelineStatus),
  },
  search: {
    index: 'pipeline_search_index',
    aliases: ['all', 'dataAsset', 'pipelineService'],
    weights: { 'tasks.name': 8, 'tasks.description': 1 },
    facets: ['tasks.displayName.keyword'],
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
});
