import { ancestor, nested, property, relation } from '../model/attribute.ts';
import { BASE_BLOCK, below, CREATE_BLOCK, defineKind, GATED_BLOCK } from '../model/kind.ts';
import { ProfilerSampling } from '../model/profiler-values.ts';
import { aside } from '../model/sample-values.ts';
import { Duration, Flag } from '../model/values.ts';

export const database = defineKind({
  entityType: 'database',
  label: 'Database',
  path: 'databases',
  title: 'Databases',
  isAsset: true,
  parents: [below('service', 'databaseService')],
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
    databaseProfilerConfig: nested(ProfilerSampling, aside),
  },
  search: { index: 'database_search_index', aliases: ['all', 'dataAsset', 'databaseService'], tells: ['location'] },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
});
