import { ancestor, computedCount, nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, childOf, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { Recognizer } from '../model/schemas/tags/recognizer.ts';
import { Flag, Integer, listOf, Style, Text } from '../model/values.ts';

export const tag = defineKind({
  entityType: 'tag',
  label: 'Tag',
  path: 'tags',
  title: 'Tags',
  parents: [
    childOf('parent', 'tag', { edge: 'PARENT_OF', required: false }),
    childOf('classification', 'classification', { required: false }),
  ],
  scopeDepth: 1,
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  required: ['description'],
  base: withoutMembers(BASE_BLOCK, 'sourceUrl'),
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
    provider: providerMember(),
    disabled: property(Flag, { request: false, fallback: false, onAbsent: 'keep' }),
    mutuallyExclusive: property(Flag, { fallback: false }),
    autoClassificationEnabled: property(Flag, { fallback: false }),
    autoClassificationPriority: property(Integer, { fallback: 50 }),
    associatedTags: property(listOf(Text), { hidden: true }),
    children: relation({ edge: 'PARENT_OF', direction: 'out', kinds: ['tag'], versioned: false }),
    usageCount: computedCount('kinds/count_tag_usage', 'kinds/count_tag_usage_visible'),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
    recognizers: nested(listOf(Recognizer), { gated: true, list: 'name' }),
  },
  assets: { edge: 'TAGGED', direction: 'in' },
  isRenamable: true,
  search: {
    index: 'tag_search_index',
    aliases: ['all', 'dataAsset', 'classification'],
    includedMembers: ['usageCount', 'reviewers'],
  },
  filters: { parent: { by: 'scope' }, disabled: { by: 'flag', property: 'disabled' } },
});
