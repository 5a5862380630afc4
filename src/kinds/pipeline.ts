import { ancestor, columns, found, property } from '../model/attribute.ts';
import { exactCase } from '../model/columns.ts';
import { BASE_BLOCK, below, CREATE_BLOCK, defineKind, GATED_BLOCK } from '../model/kind.ts';
import { PipelineStatus } from '../model/pipeline-values.ts';
import {
  DateTime,
  Integer,
  listOf,
  Markdown,
  must,
  oneOf,
  Ref,
  shape,
  TagLabel,
  Text,
  Url,
  WrittenName,
} from '../model/values.ts';

const Task = shape('Task', {
  name: must(WrittenName),
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
  parents: [below('service', 'pipelineService')],
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
    tasks: columns(listOf(Task), { gated: true, fold: exactCase, breaking: false, traced: false }),
    pipelineStatus: found('pipeline/read_latest_run', PipelineStatus),
  },
  search: {
    index: 'pipeline_search_index',
    aliases: ['all', 'dataAsset', 'pipelineService'],
    weights: { 'tasks.name': 8, 'tasks.description': 1 },
    facets: ['tasks.displayName.keyword'],
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
});
