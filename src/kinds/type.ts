import { nested, property } from '../model/attribute.ts';
import { CustomProperty, checkCustomProperties, PROPERTY_TYPES } from '../model/custom-property.ts';
import { BASE_BLOCK, defineKind, without } from '../model/kind.ts';
import { SchemaText } from '../model/type-values.ts';
import { listOf, oneOf, Word } from '../model/values.ts';

const CATEGORIES = ['field', 'entity'] as const;

export const type = defineKind({
  entityType: 'type',
  label: 'Type',
  path: 'metadata/types',
  title: 'Types',
  parents: [],
  create: ['name', 'displayName', 'description', 'domains'],
  required: ['description'],
  base: without(BASE_BLOCK, 'deleted', 'entityStatus', 'sourceUrl'),
  gated: ['domains', 'dataProducts'],
  attributes: {
    category: property(oneOf(CATEGORIES)),
    nameSpace: property(Word, { required: true }),
    schema: property(SchemaText, { required: true }),
    customProperties: nested(listOf(CustomProperty, 1000), {
      request: false,
      gated: true,
      onAbsent: 'keep',
      list: 'name',
    }),
  },
  search: {},
  filters: { category: { by: 'value', property: 'category', values: CATEGORIES } },
  mentionRules: [checkCustomProperties],
  undeletable: PROPERTY_TYPES.map(({ name }) => name),
  describesKinds: true,
});
