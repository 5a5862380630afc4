import { ancestor, counted, nested, property, relation } from '../model/attribute.ts';
import { BASE_BLOCK, below, defineKind, without } from '../model/kind.ts';
import { provider } from '../model/provider.ts';
import { Recognizer } from '../model/recognizer-values.ts';
import { Flag, Integer, listOf, Style, Text } from '../model/values.ts';

export const tag = defineKind({
  entityType: 'tag',
  label: 'Tag',
  path: 'tags',
  title: 'Tags',
  parents: [
    below('parent', 'tag', { edge: 'PARENT_OF', required: false }),
    below('classification', 'classification', { required: false }),
  ],
  scopeDepth: 1,
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  required: ['description'],
  base: without(BASE_BLOCK, 'sourceUrl'),
  gated: ['owners', 'domains', 'dataProducts', 'dataContract'],
  attributes: {
    style: nested(Style, { onAbsent: 'keep' }),
    classification: ancestor('classification'),
    parent: relation({
      edge: 'PARENT_OF',
      direction: 'in',
      kinds: ['tag'],
      many: false,
      gated: false,
      versioned: false,
    }),
    deprecated: property(Flag, { request: false, fallback: false, onAbsent: 'keep' }),
    provider: provider(),
    disabled: property(Flag, { request: false, fallback: false, onAbsent: 'keep' }),
    mutuallyExclusive: property(Flag, { fallback: false }),
    autoClassificationEnabled: property(Flag, { fallback: false }),
    autoClassificationPriority: property(Integer, { fallback: 50 }),
    associatedTags: property(listOf(Text), { hidden: true }),
    children: relation({ edge: 'PARENT_OF', direction: 'out', kinds: ['tag'], versioned: false }),
    usageCount: counted('tag/count_usage', 'tag/count_usage_visible'),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
    recognizers: nested(listOf(Recognizer), { gated: true, list: 'name' }),
  },
  assets: { edge: 'TAGGED', direction: 'in' },
  renamable: true,
  search: {
    index: 'tag_search_index',
    aliases: ['all', 'dataAsset', 'classification'],
    tells: ['usageCount', 'reviewers'],
  },
  filters: { parent: { by: 'scope' }, disabled: { by: 'flag', property: 'disabled' } },
});
