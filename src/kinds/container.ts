import { ancestor, columns, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { ColumnListSchema, completeColumn } from '../model/schemas/columns/column.ts';
import { sampleDataResource, sampleMasksMember, sampleRowsMember } from '../model/schemas/profiler/sample-data.ts';
import { Duration, defaulting, Flag, listOf, must, Num, oneOf, shape, Text } from '../model/values.ts';

const FILE_FORMATS = [
  'zip',
  'gz',
  'zstd',
  'csv',
  'tsv',
  'json',
  'parquet',
  'avro',
  'MF4',
  'jsonl',
  'jsonGz',
  'jsonZip',
] as const;

const ContainerDataModel = shape('ContainerDataModel', {
  isPartitioned: defaulting(Flag, false),
  columns: must(ColumnListSchema),
});

export const container = defineKind({
  entityType: 'container',
  label: 'Container',
  path: 'containers',
  title: 'Containers',
  isAsset: true,
  datasetRank: 3,
  contract: { columns: 'typed' },
  parents: [childOf('parent', 'container', { required: false, namedBy: 'ref' }), childOf('service', 'storageService')],
  scopeDepth: 2,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: withoutMembers(GATED_BLOCK, 'usageSummary'),
  attributes: {
    service: ancestor('storageService'),
    serviceType: ancestor('storageService', 'serviceType'),
    prefix: property(Text),
    numberOfObjects: property(Num, { versioned: false }),
    size: property(Num, { versioned: false }),
    fileFormats: property(listOf(oneOf(FILE_FORMATS)), { list: 'value' }),
    retentionPeriod: property(Duration, { request: false, onAbsent: 'keep' }),
    fullPath: property(Text),
    parent: relation({ edge: 'CONTAINS', direction: 'in', kinds: ['container'], many: false, versioned: false }),
    children: relation({ edge: 'CONTAINS', direction: 'out', kinds: ['container'], versioned: false, limit: 1000 }),
    dataModel: columns(ContainerDataModel, {
      container: { member: 'columns', others: ['isPartitioned'] },
      gated: true,
      complete: completeColumn,
    }),
    sampleData: sampleRowsMember,
    sampleMasks: sampleMasksMember,
  },
  search: {
    index: 'container_search_index',
    aliases: ['all', 'dataAsset', 'storageService'],
    includedMembers: ['parent'],
    columnNamesMember: 'columnNames',
    keywordMembers: ['fullPath'],
  },
  filters: { service: { by: 'scope' }, root: { by: 'root' }, domain: { by: 'domain' } },
  subResources: [sampleDataResource(['GET', 'PUT'])],
  special: {
    listings: [{ path: 'children', edge: 'CONTAINS', direction: 'out', whole: true }],
  },
});
