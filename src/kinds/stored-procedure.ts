import { ancestor, nested, property } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { patternFilters } from '../model/kind/list-filter.ts';
import { Flag, oneOf, shape, Text } from '../model/values.ts';

const CODE_LANGUAGES = ['SQL', 'Java', 'JavaScript', 'Python', 'External'] as const;

const StoredProcedureCode = shape('StoredProcedureCode', { language: oneOf(CODE_LANGUAGES), code: Text });

export const storedProcedure = defineKind({
  entityType: 'storedProcedure',
  label: 'StoredProcedure',
  path: 'storedProcedures',
  title: 'Stored procedures',
  isAsset: true,
  contract: {},
  parents: [childOf('databaseSchema', 'databaseSchema')],
  scopeDepth: 3,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: withoutMembers(GATED_BLOCK, 'usageSummary'),
  attributes: {
    storedProcedureCode: nested(StoredProcedureCode, { required: true }),
    storedProcedureType: property(oneOf(['StoredProcedure', 'UDF', 'StoredPackage', 'Function']), {
      fallback: 'StoredProcedure',
    }),
    databaseSchema: ancestor('databaseSchema'),
    database: ancestor('database'),
    service: ancestor('databaseService'),
    serviceType: ancestor('databaseService', 'serviceType'),
    code: property(Text, { request: false, onAbsent: 'keep' }),
    processedLineage: property(Flag, { request: false, versioned: false, onAbsent: 'keep', fallback: false }),
  },
  search: {
    index: 'stored_procedure_search_index',
    aliases: ['all', 'dataAsset', 'databaseService', 'database', 'databaseSchema'],
  },
  filters: {
    databaseSchema: { by: 'scope' },
    database: { by: 'scope' },
    service: { by: 'scope' },
    domain: { by: 'domain' },
    ...patternFilters('database', 'databaseSchema', 'storedProcedure'),
  },
});
