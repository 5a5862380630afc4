import { nested, property } from '../model/kind/attribute.ts';
import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { CustomProperty, checkCustomProperties, PROPERTY_TYPES } from '../model/schemas/types/custom-property.ts';
import { SchemaText } from '../model/schemas/types/json-schema-text.ts';
import { listOf, NonEmptyText, oneOf } from '../model/values.ts';

const TYPE_CATEGORIES = ['field', 'entity'] as const;

export const type = defineKind({
  entityType: 'type',
  label: 'Type',
  path: 'metadata/types',
  title: 'Types',
  parents: [],
  create: ['name', 'displayName', 'description', 'domains'],
  required: ['description'],
  base: withoutMembers(BASE_BLOCK, 'deleted', 'entityStatus', 'sourceUrl'),
  gated: ['domains', 'dataProducts'],
  attributes: {
    category: property(oneOf(TYPE_CATEGORIES)),
    nameSpace: property(NonEmptyText, { required: true }),
    schema: property(SchemaText, { required: true }),
    customProperties: nested(listOf(CustomProperty, 1000), {
      request: false,
      gated: true,
      onAbsent: 'keep',
      list: 'name',
    }),
  },
  search: {},
  filters: { category: { by: 'value', property: 'category', values: TYPE_CATEGORIES } },
  undeletableNames: PROPERTY_TYPES.map(({ name }) => name),
  special: {
    mentionRules: [checkCustomProperties],
    describesKinds: true,
  },
});
