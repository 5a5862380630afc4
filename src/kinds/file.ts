import { ancestor, columns, nested, property } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK } from '../model/kind/kind.ts';
import { ColumnListSchema, completeColumn } from '../model/schemas/columns/column.ts';
import { sampleDataResource, sampleMasksMember, sampleRowsMember } from '../model/schemas/profiler/sample-data.ts';
import { Flag, Integer, oneOf, Ref, Text, Timestamp, Url } from '../model/values.ts';

const FILE_TYPES = [
  'Document',
  'Spreadsheet',
  'Presentation',
  'Image',
  'Video',
  'Audio',
  'PDF',
  'Archive',
  'Code',
  'Data',
  'CSV',
  'Text',
  'Other',
] as const;

/** Facts of the source that a patch may set, but no create body. */
const PATCHED = { request: false, onAbsent: 'keep' } as const;

export const file = defineKind({
  entityType: 'file',
  label: 'File',
  path: 'drives/files',
  title: 'Files',
  isAsset: true,
  datasetRank: 9,
  contract: { columns: 'typed' },
  parents: [childOf('directory', 'directory', { required: false }), childOf('service', 'driveService')],
  scopeDepth: 2,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: GATED_BLOCK,
  attributes: {
    service: ancestor('driveService'),
    serviceType: ancestor('driveService', 'serviceType'),
    directory: ancestor('directory'),
    fileType: property(oneOf(FILE_TYPES)),
    mimeType: property(Text),
    fileExtension: property(Text),
    path: property(Text),
    size: property(Integer, { versioned: false }),
    columns: columns(ColumnListSchema, { complete: completeColumn }),
    sampleData: sampleRowsMember,
    sampleMasks: sampleMasksMember,
    checksum: property(Text),
    webViewLink: property(Url),
    downloadLink: property(Url),
    isShared: property(Flag, { fallback: false }),
    fileVersion: property(Text),
    createdTime: property(Timestamp, PATCHED),
    modifiedTime: property(Timestamp, PATCHED),
    lastModifiedBy: nested(Ref, PATCHED),
  },
  search: {
    index: 'file_search_index',
    aliases: ['all', 'driveService', 'directory'],
    columnNamesMember: 'columnNames',
    keywordMembers: ['path'],
  },
  filters: { service: { by: 'scope' }, directory: { by: 'scope' }, domain: { by: 'domain' } },
  subResources: [sampleDataResource(['GET', 'PUT'])],
});
