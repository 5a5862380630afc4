import { computedCount, empty, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { Flag, FreeForm, listOf } from '../model/values.ts';

export const glossary = defineKind({
  entityType: 'glossary',
  label: 'Glossary',
  path: 'glossaries',
  title: 'Glossaries',
  parents: [],
  create: withoutMembers(CREATE_BLOCK, 'dataProducts', 'lifeCycle', 'sourceHash', 'sourceUrl'),
  required: ['description'],
  base: withoutMembers(BASE_BLOCK, 'sourceUrl'),
  gated: withoutMembers(GATED_BLOCK, 'followers', 'lifeCycle', 'certification', 'sourceHash', 'usageSummary'),
  attributes: {
    provider: providerMember(),
    disabled: property(Flag, { request: false, onAbsent: 'keep' }),
    mutuallyExclusive: property(Flag, { fallback: false }),
    namespaces: empty(listOf(FreeForm), undefined, { gated: false }),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
    usageCount: computedCount('kinds/count_tag_usage', 'kinds/count_tag_usage_visible'),
    termCount: computedCount('kinds/count_glossary_terms', 'kinds/count_glossary_terms_visible'),
  },
  isRenamable: true,
  search: { index: 'glossary_search_index', aliases: ['all'], includedMembers: ['reviewers'] },
  filters: {},
});
