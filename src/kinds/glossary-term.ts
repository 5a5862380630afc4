import { ancestor, computedCount, nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { Flag, listOf, must, oneOf, PlainName, Style, shape, Text, Url } from '../model/values.ts';

const MAPPING_TYPES = [
  'EXACT_MATCH',
  'CLOSE_MATCH',
  'BROAD_MATCH',
  'NARROW_MATCH',
  'RELATED_MATCH',
  'SAME_AS',
] as const;

const TermReference = shape('TermReference', { name: Text, endpoint: Url });

const ConceptMapping = shape('ConceptMapping', {
  conceptIri: must(Url),
  mappingType: must(oneOf(MAPPING_TYPES)),
  schemeIri: Url,
  source: Text,
});

export const glossaryTerm = defineKind({
  entityType: 'glossaryTerm',
  label: 'GlossaryTerm',
  path: 'glossaryTerms',
  title: 'Glossary terms',
  parents: [childOf('parent', 'glossaryTerm', { edge: 'PARENT_OF', required: false }), childOf('glossary', 'glossary')],
  scopeDepth: 2,
  create: withoutMembers(CREATE_BLOCK, 'dataProducts', 'lifeCycle', 'sourceHash', 'sourceUrl'),
  required: ['description'],
  base: withoutMembers(BASE_BLOCK, 'sourceUrl'),
  gated: withoutMembers(GATED_BLOCK, 'followers', 'lifeCycle', 'certification', 'sourceHash', 'usageSummary'),
  attributes: {
    style: nested(Style, { onAbsent: 'keep' }),
    iri: property(Url),
    synonyms: property(listOf(PlainName), { list: 'value' }),
    glossary: ancestor('glossary'),
    parent: relation({
      edge: 'PARENT_OF',
      direction: 'in',
      kinds: ['glossaryTerm'],
      many: false,
      gated: false,
      versioned: false,
    }),
    references: nested(listOf(TermReference), { list: 'name' }),
    conceptMappings: nested(listOf(ConceptMapping), { list: 'value' }),
    provider: providerMember(),
    disabled: property(Flag, { request: false, onAbsent: 'keep' }),
    mutuallyExclusive: property(Flag, { fallback: false }),
    children: relation({ edge: 'PARENT_OF', direction: 'out', kinds: ['glossaryTerm'], versioned: false }),
    relatedTerms: relation({
      edge: 'RELATED_TO',
      direction: 'out',
      kinds: ['glossaryTerm'],
      request: 'fqn',
      onAbsent: 'keep',
      symmetric: true,
      wrapped: { member: 'term', others: { relationType: 'relatedTo' } },
    }),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
    usageCount: computedCount('kinds/count_tag_usage', 'kinds/count_tag_usage_visible'),
    childrenCount: computedCount('kinds/count_child_terms', 'kinds/count_child_terms_visible'),
  },
  // A term with reviewers is a draft until they have approved it.
  initialValues: ({ reviewers }) => ({ entityStatus: reviewers && reviewers.length > 0 ? 'Draft' : 'Approved' }),
  assets: { edge: 'TAGGED', direction: 'in' },
  isRenamable: true,
  search: {
    index: 'glossary_term_search_index',
    aliases: ['all', 'dataAsset', 'glossary'],
    includedMembers: ['relatedTerms', 'reviewers'],
  },
  filters: {
    glossary: { by: 'scope', idOf: 'glossary' },
    parent: { by: 'scope', idOf: 'glossaryTerm' },
  },
});
