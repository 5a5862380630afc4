import { counted, empty, property, relation } from '../model/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, defineKind, GATED_BLOCK, without } from '../model/kind.ts';
import { provider } from '../model/provider.ts';
import { Flag, FreeForm, listOf } from '../model/values.ts';

export const glossary = defineKind({
  entityType: 'glossary',
  label: 'Glossary',
  path: 'glossaries',
  title: 'Glossaries',
  parents: [],
  create: without(CREATE_BLOCK, 'dataProducts', 'lifeCycle', 'sourceHash', 'sourceUrl'),
  required: ['description'],
  base: without(BASE_BLOCK, 'sourceUrl'),
  gated: without(GATED_BLOCK, 'followers', 'lifeCycle', 'certification', 'sourceHash', 'usageSummary'),
  attributes: {
    provider: provider(),
    disabled: property(Flag, { request: false, onAbsent: 'keep' }),
    mutuallyExclusive: property(Flag, { fallback: false }),
    namespaces: empty(listOf(FreeForm), undefined, { gated: false }),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
    usageCount: counted('tag/count_usage', 'tag/count_usage_visible'),
    termCount: counted('glossary/count_terms', 'glossary/count_terms_visible'),
  },
  renamable: true,
  search: { index: 'glossary_search_index', aliases: ['all'], tells: ['reviewers'] },
  filters: {},
});
