import { ancestor, nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK } from '../model/kind/kind.ts';
import { patternFilters } from '../model/kind/list-filter.ts';
import { ProfilerSampling } from '../model/schemas/profiler/profiler-sampling.ts';
import { SEPARATE_MEMBER } from '../model/schemas/profiler/sample-data.ts';
import { Duration, Flag } from '../model/values.ts';

export const database = defineKind({
  entityType: 'database',
  label: 'Database',
  path: 'databases',
  title: 'Databases',
  isAsset: true,
  contract: {},
  parents: [childOf('service', 'databaseService')],
  scopeDepth: 1,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: GATED_BLOCK,
  attributes: {
    service: ancestor('databaseService'),
    serviceType: ancestor('databaseService', 'serviceType'),
    default: property(Flag, { fallback: false }),
    retentionPeriod: property(Duration),
    location: relation({ edge: 'USES', direction: 'out', kinds: ['container'], many: false, patchable: true }),
    databaseSchemas: relation({ edge: 'CONTAINS', direction: 'out', kinds: ['databaseSchema'], versioned: false }),
    databaseProfilerConfig: nested(ProfilerSampling, SEPARATE_MEMBER),
  },
  search: {
    index: 'database_search_index',
    aliases: ['all', 'dataAsset', 'databaseService'],
    includedMembers: ['location'],
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' }, ...patternFilters('database') },
});
