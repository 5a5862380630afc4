import { counted, nested, property, relation } from '../model/attribute.ts';
import { BASE_BLOCK, defineKind, without } from '../model/kind.ts';
import { provider } from '../model/provider.ts';
import { AutoClassificationConfig } from '../model/recognizer-values.ts';
import { Flag } from '../model/values.ts';

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
    provider: provider(),
    disabled: property(Flag, { request: false, fallback: false, onAbsent: 'keep' }),
    mutuallyExclusive: property(Flag, { fallback: false }),
    autoClassificationConfig: nested(AutoClassificationConfig),
    termCount: counted('tag/count_terms', 'tag/count_terms_visible'),
    usageCount: counted('tag/count_usage', 'tag/count_usage_visible'),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
  },
  renamable: true,
  search: { index: 'classification_search_index', aliases: ['all'], tells: ['reviewers'] },
  filters: { disabled: { by: 'flag', property: 'disabled' } },
});
