import { computedCount, nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { AutoClassificationConfig } from '../model/schemas/tags/recognizer.ts';
import { Flag } from '../model/values.ts';

export const classification = defineKind({
  entityType: 'classification',
  label: 'Classification',
  path: 'classifications',
  title: 'Classifications',
  parents: [],
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  required: ['description'],
  base: withoutMembers(BASE_BLOCK, 'sourceUrl'),
  gated: ['owners', 'domains'],
  attributes: {
    provider: providerMember(),
    disabled: property(Flag, { request: false, fallback: false, onAbsent: 'keep' }),
    mutuallyExclusive: property(Flag, { fallback: false }),
    autoPropagate: property(Flag, { onAbsent: 'keep' }),
    autoClassificationConfig: nested(AutoClassificationConfig),
    termCount: computedCount('kinds/count_classification_tags', 'kinds/count_classification_tags_visible'),
    usageCount: computedCount('kinds/count_tag_usage', 'kinds/count_tag_usage_visible'),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
  },
  isRenamable: true,
  search: { index: 'classification_search_index', aliases: ['all'], includedMembers: ['reviewers'] },
  filters: { disabled: { by: 'flag', property: 'disabled' } },
});
