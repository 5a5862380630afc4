import { ancestor, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK } from '../model/kind/kind.ts';
import { Flag, Integer, oneOf, Text } from '../model/values.ts';

const DIRECTORY_TYPES = [
  'Root',
  'MyDrive',
  'SharedDrive',
  'TeamDrive',
  'Folder',
  'SharePointSite',
  'SharePointLibrary',
] as const;

/** Counts of the source, which change with every file and make no version. */
const COUNT = property(Integer, { versioned: false });

export const directory = defineKind({
  entityType: 'directory',
  label: 'Directory',
  path: 'drives/directories',
  title: 'Directories',
  isAsset: true,
  contract: {},
  parents: [childOf('parent', 'directory', { required: false }), childOf('service', 'driveService')],
  scopeDepth: 2,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: GATED_BLOCK,
  attributes: {
    service: ancestor('driveService'),
    serviceType: ancestor('driveService', 'serviceType'),
    directoryType: property(oneOf(DIRECTORY_TYPES)),
    path: property(Text),
    isShared: property(Flag, { fallback: false }),
    numberOfFiles: COUNT,
    numberOfSubDirectories: COUNT,
    totalSize: COUNT,
    parent: relation({
      edge: 'CONTAINS',
      direction: 'in',
      kinds: ['directory'],
      many: false,
      gated: false,
      versioned: false,
    }),
    children: relation({
      edge: 'CONTAINS',
      direction: 'out',
      kinds: ['directory', 'file'],
      versioned: false,
      limit: 1000,
    }),
  },
  search: {
    index: 'directory_search_index',
    aliases: ['all', 'driveService'],
    includedMembers: ['parent'],
    keywordMembers: ['path'],
  },
  filters: {
    service: { by: 'scope' },
    parent: { by: 'scope' },
    root: { by: 'root' },
    domain: { by: 'domain' },
  },
});
