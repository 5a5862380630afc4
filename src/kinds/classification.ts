import { counted, nested, property, relation } from '../model/attribute.ts';
import { BASE_BLOCK, defineKind, without } from '../model/kind.ts';
import { PROVIDERS } from '../model/tag-values.ts';
import { Flag, FreeForm, oneOf } from '../model/values.ts';

export const classification = defineKind({
  entityType: 'classification',
  label: 'Classification',
  path: 'classifications',
  title: 'Classifications',
  parents: [],
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  required: ['description'],
  base: without(BASE_BLOCK, 'sourceUrl'),
  gated: ['owners', 'domains'],
  attributes: {
    provider: property(oneOf(PROVIDERS), { fallback: 'user', onAbsent: 'keep' }),
    disabled: property(Flag, { request: false, fallback: false, onAbsent: 'keep' }),
    mutuallyExclusive: property(Flag, { fallback: false }),
    autoClassificationConfig: nested(FreeForm),
    termCount: counted('tag/count_terms'),
    usageCount: counted('tag/count_usage'),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
  },
  filters: { disabled: { by: 'flag', property: 'disabled' } },
});
