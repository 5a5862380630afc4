import { ancestor, nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK } from '../model/kind/kind.ts';
import { patternFilters } from '../model/kind/list-filter.ts';
import { ProfilerSampling } from '../model/schemas/profiler/profiler-sampling.ts';
import { SEPARATE_MEMBER } from '../model/schemas/profiler/sample-data.ts';
import { Duration } from '../model/values.ts';

export const databaseSchema = defineKind({
  entityType: 'databaseSchema',
  label: 'DatabaseSchema',
  path: 'databaseSchemas',
  title: 'Database schemas',
  isAsset: true,
  contract: {},
  parents: [childOf('database', 'database')],
  scopeDepth: 2,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: GATED_BLOCK,
  attributes: {
    service: ancestor('databaseService'),
    serviceType: ancestor('databaseService', 'serviceType'),
    database: ancestor('database'),
    retentionPeriod: property(Duration),
    tables: relation({ edge: 'CONTAINS', direction: 'out', kinds: ['table'], versioned: false }),
    databaseSchemaProfilerConfig: nested(ProfilerSampling, SEPARATE_MEMBER),
  },
  search: { index: 'database_schema_search_index', aliases: ['all', 'dataAsset', 'databaseService', 'database'] },
  filters: {
    database: { by: 'scope' },
    service: { by: 'scope' },
    domain: { by: 'domain' },
    ...patternFilters('database', 'databaseSchema'),
  },
});
