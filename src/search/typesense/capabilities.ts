import {
  type CollectionField,
  type ServerResult,
  type ServerSearch,
  type TypesenseClient,
  TypesenseFault,
} from './client.ts';
import { typedWordParameters } from './typed-words.ts';
import { encodeFacetValue, hashValue, MAX_ORDERED, MIN_ORDERED, sortableText } from './value-encoding.ts';

/**
 * What a server can do, tested with requests whose answers are known. Servers ignore parameters that they do not know,
 * so their answers alone do not show it.
 */
export type Capabilities = {
  readonly version: string;
  /** Filters by equality, inequality, groups of both, and whole numbers to the last digit. */
  readonly filters: boolean;
  /** Sorts by text and numbers, with missing values last in both directions. */
  readonly sorting: boolean;
  /** Counts all values of all hits and keeps similar values apart. */
  readonly facets: boolean;
  /** Finds words across fields and ranks by field weights. */
  readonly ranking: boolean;
  /** Tolerates the configured number of typing mistakes per field, and completes the last word. */
  readonly typing: boolean;
  /** Sums the scores of a word that matches in several fields. */
  readonly sumScore: boolean;
};

const NO_CAPABILITIES: Capabilities = {
  version: '',
  filters: false,
  sorting: false,
  facets: false,
  ranking: false,
  typing: false,
  sumScore: false,
};

const PROBE_FIELDS: readonly CollectionField[] = [
  { name: 'terms', type: 'string[]', optional: true },
  { name: 'name', type: 'string', optional: true },
  { name: 'remark', type: 'string', optional: true },
  { name: 'more', type: 'string', optional: true },
  { name: 'text', type: 'string', sort: true, optional: true },
  { name: 'number', type: 'int64', sort: true, optional: true },
  { name: 'facet', type: 'string[]', facet: true, optional: true },
  { name: 'weight', type: 'float' },
];

/** The encoding of negative infinity, the smallest number. */
const MIN_FINITE = MIN_ORDERED + (1n << 52n) - 1n;

const probeHash = (one: string): string => hashValue(`probe:${one}`);
const facetValues = (...all: readonly string[]): readonly string[] => all.map((one) => encodeFacetValue(one) ?? '');

/**
 * A long value for pairs that differ only in their last letter; other pairs differ only in a symbol or only in case.
 */
const LONG_VALUE = `${'long '.repeat(25)}value`;

const PROBE_DOCUMENTS: readonly (readonly [document: object, number?: bigint])[] = [
  [
    {
      id: 'a',
      terms: [probeHash('x'), probeHash('y')],
      name: 'blue table',
      text: sortableText('Z'),
      facet: facetValues('a-b', 'A-b'),
      weight: 1,
    },
    MIN_FINITE,
  ],
  [
    {
      id: 'b',
      terms: [probeHash('x'), probeHash('z')],
      name: 'blue',
      remark: 'table',
      text: sortableText('a'),
      facet: facetValues('ab', LONG_VALUE),
      weight: 2,
    },
    MAX_ORDERED - 1n,
  ],
  [
    {
      id: 'c',
      terms: [probeHash('y')],
      remark: 'blue chair',
      more: 'blue',
      text: sortableText('a/b'),
      facet: facetValues('a-b', `${LONG_VALUE}s`),
      weight: 3,
    },
    MAX_ORDERED,
  ],
  [{ id: 'd', terms: [probeHash('w')], remark: 'blue', facet: facetValues(''), weight: 4 }],
  [{ id: 'e', name: 'green', remark: 'blues', text: sortableText('ä'), weight: 5 }, 0n],
];

const probeLineOf = ([document, number]: (typeof PROBE_DOCUMENTS)[number]): string => {
  const text = JSON.stringify(document);
  return number === undefined ? text : `${text.slice(0, -1)},"number":${number}}`;
};

const idsOf = ({ hits }: ServerResult): string => hits.map(({ document }) => document['id']).join('');

const hasIds = (found: ServerResult, ids: string, inOrder = true): boolean => {
  const given = idsOf(found);
  const sorted = inOrder ? given : [...given].sort().join('');
  return sorted === ids && found.found === ids.length;
};

type CapabilityCheck = {
  readonly search: Omit<ServerSearch, 'collection'> & { q: string };
  readonly isRight: (found: ServerResult) => boolean;
};

const checkFilter = (filter_by: string, ids: string): CapabilityCheck => ({
  search: { q: '*', filter_by },
  isRight: (found) => hasIds(found, ids, false),
});

const checkSort = (sort_by: string, ids: string): CapabilityCheck => ({
  search: { q: '*', sort_by },
  isRight: (found) => hasIds(found, ids),
});

const WORD_PARAMETERS = {
  query_by: 'name,remark,more',
  query_by_weights: '100,20,20',
  num_typos: 0,
  prefix: false,
  typo_tokens_threshold: 0,
  drop_tokens_threshold: 0,
  split_join_tokens: 'off',
  sort_by: '_text_match:desc,weight:desc',
} as const;

const checkWords = (q: string, ids: string): CapabilityCheck => ({
  search: { ...WORD_PARAMETERS, q },
  isRight: (found) => hasIds(found, ids),
});

/** The first field tolerates two mistakes, the second one, the third none. */
const checkTypedWords = (q: string, ids: string): CapabilityCheck => ({
  search: { ...WORD_PARAMETERS, q, ...typedWordParameters([2, 1, 0]) },
  isRight: (found) => hasIds(found, ids),
});

const EXPECTED_COUNTS: readonly (readonly [value: string, count: number])[] = [
  ['a-b', 2],
  ['A-b', 1],
  ['ab', 1],
  [LONG_VALUE, 1],
  [`${LONG_VALUE}s`, 1],
  ['', 1],
];

const checkFacets: CapabilityCheck = {
  search: { q: '*', facet_by: 'facet', max_facet_values: 100, facet_strategy: 'exhaustive', per_page: 0 },
  isRight: ({ found, hits, facet_counts: [facet] }) =>
    found === PROBE_DOCUMENTS.length &&
    hits.length === 0 &&
    facet?.counts.length === EXPECTED_COUNTS.length &&
    EXPECTED_COUNTS.every(([value, count]) =>
      facet.counts.some((one) => one.value === encodeFacetValue(value) && one.count === count),
    ),
};

/** The third document has the word in two fields of little weight, others in the one of great weight. */
const checkSumScore: CapabilityCheck = {
  search: { ...WORD_PARAMETERS, q: 'blue', text_match_type: 'sum_score' },
  isRight: ({ found, hits: [first] }) => found === 4 && first?.document['id'] === 'c',
};

const CHECKS: Readonly<Record<Exclude<keyof Capabilities, 'version'>, readonly CapabilityCheck[]>> = {
  filters: [
    checkFilter(`terms:=[${probeHash('x')}]`, 'ab'),
    checkFilter(`terms:=[${probeHash('y')},${probeHash('z')},${probeHash('nothing')}]`, 'abc'),
    checkFilter(`terms:=[${probeHash('nothing')}]`, ''),
    checkFilter(`terms:!=[${probeHash('x')},${probeHash('w')}]`, 'ce'),
    checkFilter(`((terms:=[${probeHash('x')}] && terms:!=[${probeHash('z')}]) || terms:=[${probeHash('w')}])`, 'ad'),
    checkFilter(`number:[${MAX_ORDERED}..${MAX_ORDERED}]`, 'c'),
    checkFilter(`number:[${MIN_ORDERED}..${MIN_FINITE}]`, 'a'),
    checkFilter(`number:[${MIN_FINITE + 1n}..${MAX_ORDERED - 1n}]`, 'be'),
    {
      search: { q: '*', per_page: 0 },
      isRight: ({ found, hits }) => found === PROBE_DOCUMENTS.length && hits.length === 0,
    },
    { search: { q: '*', per_page: 2, page: 3, sort_by: 'weight:asc' }, isRight: (found) => idsOf(found) === 'e' },
  ],
  sorting: [
    checkSort('text(missing_values: last):asc,weight:asc', 'abced'),
    checkSort('text(missing_values: last):desc,weight:asc', 'ecbad'),
    checkSort('number(missing_values: last):asc,weight:asc', 'aebcd'),
    checkSort('number(missing_values: last):desc,weight:asc', 'cbead'),
  ],
  facets: [checkFacets],
  ranking: [checkWords('blue table', 'ab'), checkWords('chair', 'c'), checkWords('green blues', 'e')],
  typing: [
    checkTypedWords('tab', 'ab'),
    checkTypedWords('tavle', 'ab'),
    checkTypedWords('chai', 'c'),
    checkTypedWords('chaar', 'c'),
    checkTypedWords('cha blue', ''),
    checkTypedWords('gre blues', ''),
    checkTypedWords('greem blues', 'e'),
    checkTypedWords('chxxr', ''),
  ],
  sumScore: [checkSumScore],
};

const searchProbe = async (typesense: TypesenseClient, search: ServerSearch): Promise<ServerResult | undefined> => {
  try {
    return (await typesense.search([search]))[0];
  } catch (failure) {
    // A request that the server does not understand means that it lacks the capability; while it is unavailable, this
    // is unknown.
    if (failure instanceof TypesenseFault && failure.kind !== 'away') return undefined;
    throw failure;
  }
};

const passesChecks = async (
  typesense: TypesenseClient,
  collection: string,
  known: readonly CapabilityCheck[],
): Promise<boolean> => {
  for (const { search, isRight } of known) {
    const found = await searchProbe(typesense, { ...search, collection });
    if (!found || !isRight(found)) return false;
  }
  return true;
};

/** Tests what a server can do, with a temporary collection. Throws when the server is unavailable. */
export const probeCapabilities = async (
  typesense: TypesenseClient,
  prefix: string,
  now: number,
): Promise<Capabilities> => {
  const collection = `${prefix}probe_${now}_${Math.random().toString(36).slice(2, 8)}`;
  const version = await typesense.version();
  await typesense.createCollection({ name: collection, fields: PROBE_FIELDS, default_sorting_field: 'weight' });
  try {
    const lines = await typesense.importLines(collection, PROBE_DOCUMENTS.map(probeLineOf), 'upsert');
    if (!lines.every(({ success }) => success)) return { ...NO_CAPABILITIES, version };
    const able = (name: keyof typeof CHECKS) => passesChecks(typesense, collection, CHECKS[name]);
    return {
      version,
      filters: await able('filters'),
      sorting: await able('sorting'),
      facets: await able('facets'),
      ranking: await able('ranking'),
      typing: await able('typing'),
      sumScore: await able('sumScore'),
    };
  } finally {
    await typesense.dropCollection(collection);
  }
};
