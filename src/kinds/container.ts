import { ancestor, columns, property, relation } from '../model/attribute.ts';
import { Columns, completeColumn } from '../model/column-values.ts';
import { BASE_BLOCK, below, CREATE_BLOCK, defineKind, GATED_BLOCK, without } from '../model/kind.ts';
import { sampleData, sampleRows } from '../model/sample-values.ts';
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

const DataModel = shape('ContainerDataModel', { isPartitioned: defaulting(Flag, false), columns: must(Columns) });

export const container = defineKind({
  entityType: 'container',
  label: 'Container',
  path: 'containers',
  title: 'Containers',
  isAsset: true,
  parents: [below('parent', 'container', { required: false, by: 'ref' }), below('service', 'storageService')],
  scopeDepth: 2,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: without(GATED_BLOCK, 'usageSummary'),
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
    children: relation({ edge: 'CONTAINS', direction: 'out', kinds: ['container'], versioned: false, most: 1000 }),
    dataModel: columns(DataModel, {
      inside: { member: 'columns', others: ['isPartitioned'] },
      gated: true,
      complete: completeColumn,
    }),
    sampleData: sampleRows,
  },
  search: {
    index: 'container_search_index',
    aliases: ['all', 'dataAsset', 'storageService'],
    tells: ['parent'],
    lists: 'columnNames',
    exact: ['fullPath'],
  },
  filters: { service: { by: 'scope' }, root: { by: 'root' }, domain: { by: 'domain' } },
  subResources: [sampleData(['GET', 'PUT'])],
  listings: [{ path: 'children', edge: 'CONTAINS', direction: 'out', whole: true }],
});
