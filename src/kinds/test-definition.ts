import { nested, property } from '../model/kind/attribute.ts';
import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { COLUMN_TYPES } from '../model/schemas/columns/column.ts';
import {
  ParameterDefinitions,
  TEST_DIMENSIONS,
  TEST_PLATFORMS,
  TEST_TARGETS,
} from '../model/schemas/quality/test-case.ts';
import { Flag, listOf, Markdown, oneOf, Text } from '../model/values.ts';

export const testDefinition = defineKind({
  entityType: 'testDefinition',
  label: 'TestDefinition',
  path: 'dataQuality/testDefinitions',
  title: 'Test definitions',
  parents: [],
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  base: withoutMembers(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['owners', 'domains'],
  attributes: {
    // Stored as JSON, because a property of this name already holds the type of every record.
    entityType: nested(oneOf(TEST_TARGETS), { required: true }),
    testPlatforms: property(listOf(oneOf(TEST_PLATFORMS), 100), { required: true, list: 'value' }),
    supportedDataTypes: property(listOf(oneOf(COLUMN_TYPES), 1000), { list: 'value' }),
    parameterDefinition: nested(ParameterDefinitions, { list: 'name' }),
    dataQualityDimension: property(oneOf(TEST_DIMENSIONS)),
    provider: providerMember({ request: false, adminOnly: true }),
    supportsRowLevelPassedFailed: property(Flag, { fallback: false }),
    supportsDynamicAssertion: property(Flag, { fallback: false }),
    enabled: property(Flag, { fallback: true, onAbsent: 'keep' }),
    supportedServices: property(listOf(Text, 1000), { list: 'value', fallback: [] }),
    sqlExpression: property(Markdown),
    validatorClass: property(Text),
  },
  search: {},
  filters: {
    entityType: { by: 'word', property: 'entityTypeJson', words: { TABLE: '"TABLE"', COLUMN: '"COLUMN"' } },
    testPlatform: { by: 'item', property: 'testPlatforms' },
    supportedDataType: { by: 'item', property: 'supportedDataTypes' },
  },
  special: {
    requiredByEdge: 'DEFINED_BY',
  },
});
