import { type CollectionField, type Found, type Search, type Typesense, TypesenseFault } from './client.ts';
import { countable, HIGHEST, hashOf, LOWEST, sortableText } from './companions.ts';
import { asTyped } from './typing.ts';

/**
 * What a server can do, learned from what it answers to requests whose answers are known. Servers take parameters that
 * they do not know, and answer as if nothing had been said.
 */
export type Capabilities = {
  readonly version: string;
  /** Finds by equality, its opposite, groups of both, and whole numbers to their last digit. */
  readonly filters: boolean;
  /** Puts texts and numbers in order, and what has none last both ways. */
  readonly sorting: boolean;
  /** Counts all values of all that is found, and takes no two for the same. */
  readonly facets: boolean;
  /** Finds words in whichever fields they stand, and ranks by the weights of these. */
  readonly ranking: boolean;
  /** Finds words with so many mistakes as each field forgives, and the last one from its beginning. */
  readonly typing: boolean;
  /** Adds up what is made of finding a word in several fields. */
  readonly sumScore: boolean;
};

const UNABLE: Capabilities = {
  version: '',
  filters: false,
  sorting: false,
  facets: false,
  ranking: false,
  typing: false,
  sumScore: false,
};

const FIELDS: readonly CollectionField[] = [
  { name: 'terms', type: 'string[]', optional: true },
  { name: 'name', type: 'string', optional: true },
  { name: 'remark', type: 'string', optional: true },
  { name: 'more', type: 'string', optional: true },
  { name: 'text', type: 'string', sort: true, optional: true },
  { name: 'number', type: 'int64', sort: true, optional: true },
  { name: 'facet', type: 'string[]', facet: true, optional: true },
  { name: 'weight', type: 'float' },
];

/** The smallest number there is, minus infinity, and the greatest whole number, as they stand in collections. */
const LEAST = LOWEST + (1n << 52n) - 1n;

const h = (one: string): string => hashOf(`probe:${one}`);
const values = (...all: readonly string[]): readonly string[] => all.map((one) => countable(one) ?? '');

/** Two values that differ in nothing but a mark, in nothing but case, and in nothing but their last letter. */
const LONG = `${'long '.repeat(25)}value`;

const DOCUMENTS: readonly (readonly [document: object, number?: bigint])[] = [
  [
    {
      id: 'a',
      terms: [h('x'), h('y')],
      name: 'blue table',
      text: sortableText('Z'),
      facet: values('a-b', 'A-b'),
      weight: 1,
    },
    LEAST,
  ],
  [
    {
      id: 'b',
      terms: [h('x'), h('z')],
      name: 'blue',
      remark: 'table',
      text: sortableText('a'),
      facet: values('ab', LONG),
      weight: 2,
    },
    HIGHEST - 1n,
  ],
  [
    {
      id: 'c',
      terms: [h('y')],
      remark: 'blue chair',
      more: 'blue',
      text: sortableText('a/b'),
      facet: values('a-b', `${LONG}s`),
      weight: 3,
    },
    HIGHEST,
  ],
  [{ id: 'd', terms: [h('w')], remark: 'blue', facet: values(''), weight: 4 }],
  [{ id: 'e', name: 'green', remark: 'blues', text: sortableText('ä'), weight: 5 }, 0n],
];

const lineOf = ([document, number]: (typeof DOCUMENTS)[number]): string => {
  const text = JSON.stringify(document);
  return number === undefined ? text : `${text.slice(0, -1)},"number":${number}}`;
};

const idsOf = ({ hits }: Found): string => hits.map(({ document }) => document['id']).join('');

const isSame = (found: Found, ids: string, inOrder = true): boolean => {
  const given = idsOf(found);
  const sorted = inOrder ? given : [...given].sort().join('');
  return sorted === ids && found.found === ids.length;
};

type Known = {
  readonly search: Omit<Search, 'collection'> & { q: string };
  readonly isRight: (found: Found) => boolean;
};

const filtered = (filter_by: string, ids: string): Known => ({
  search: { q: '*', filter_by },
  isRight: (found) => isSame(found, ids, false),
});

const sorted = (sort_by: string, ids: string): Known => ({
  search: { q: '*', sort_by },
  isRight: (found) => isSame(found, ids),
});

const WORDS = {
  query_by: 'name,remark,more',
  query_by_weights: '100,20,20',
  num_typos: 0,
  prefix: false,
  typo_tokens_threshold: 0,
  drop_tokens_threshold: 0,
  split_join_tokens: 'off',
  sort_by: '_text_match:desc,weight:desc',
} as const;

const words = (q: string, ids: string): Known => ({ search: { ...WORDS, q }, isRight: (found) => isSame(found, ids) });

/** Mistakes are forgiven in the first field twice, in the second once, in the third never. */
const typed = (q: string, ids: string): Known => ({
  search: { ...WORDS, q, ...asTyped([2, 1, 0]) },
  isRight: (found) => isSame(found, ids),
});

const WANTED: readonly (readonly [value: string, count: number])[] = [
  ['a-b', 2],
  ['A-b', 1],
  ['ab', 1],
  [LONG, 1],
  [`${LONG}s`, 1],
  ['', 1],
];

const counts: Known = {
  search: { q: '*', facet_by: 'facet', max_facet_values: 100, facet_strategy: 'exhaustive', per_page: 0 },
  isRight: ({ found, hits, facet_counts: [facet] }) =>
    found === DOCUMENTS.length &&
    hits.length === 0 &&
    facet?.counts.length === WANTED.length &&
    WANTED.every(([value, count]) => facet.counts.some((one) => one.value === countable(value) && one.count === count)),
};

const KNOWN: Readonly<Record<'filters' | 'sorting' | 'facets' | 'ranking' | 'typing', readonly Known[]>> = {
  filters: [
    filtered(`terms:=[${h('x')}]`, 'ab'),
    filtered(`terms:=[${h('y')},${h('z')},${h('nothing')}]`, 'abc'),
    filtered(`terms:=[${h('nothing')}]`, ''),
    filtered(`terms:!=[${h('x')},${h('w')}]`, 'ce'),
    filtered(`((terms:=[${h('x')}] && terms:!=[${h('z')}]) || terms:=[${h('w')}])`, 'ad'),
    filtered(`number:[${HIGHEST}..${HIGHEST}]`, 'c'),
    filtered(`number:[${LOWEST}..${LEAST}]`, 'a'),
    filtered(`number:[${LEAST + 1n}..${HIGHEST - 1n}]`, 'be'),
    { search: { q: '*', per_page: 0 }, isRight: ({ found, hits }) => found === DOCUMENTS.length && hits.length === 0 },
    { search: { q: '*', per_page: 2, page: 3, sort_by: 'weight:asc' }, isRight: (found) => idsOf(found) === 'e' },
  ],
  sorting: [
    sorted('text(missing_values: last):asc,weight:asc', 'abced'),
    sorted('text(missing_values: last):desc,weight:asc', 'ecbad'),
    sorted('number(missing_values: last):asc,weight:asc', 'aebcd'),
    sorted('number(missing_values: last):desc,weight:asc', 'cbead'),
  ],
  facets: [counts],
  ranking: [words('blue table', 'ab'), words('chair', 'c'), words('green blues', 'e')],
  typing: [
    typed('tab', 'ab'),
    typed('tavle', 'ab'),
    typed('chai', 'c'),
    typed('chaar', 'c'),
    typed('cha blue', ''),
    typed('gre blues', ''),
    typed('greem blues', 'e'),
    typed('chxxr', ''),
  ],
};

const ask = async (typesense: Typesense, search: Search): Promise<Found | undefined> => {
  try {
    return (await typesense.search([search]))[0];
  } catch (failure) {
    // What a server does not understand it cannot do; but whether it can is not known while it is away.
    if (failure instanceof TypesenseFault && failure.kind !== 'away') return undefined;
    throw failure;
  }
};

const isAble = async (typesense: Typesense, collection: string, known: readonly Known[]): Promise<boolean> => {
  for (const { search, isRight } of known) {
    const found = await ask(typesense, { ...search, collection });
    if (!found || !isRight(found)) return false;
  }
  return true;
};

/** A server that knows one way to rank from another refuses what is none. */
const knowsRanking = async (typesense: Typesense, collection: string, way: string): Promise<boolean> => {
  const [known, made] = await Promise.all(
    [way, 'no_such_score'].map((text_match_type) =>
      ask(typesense, { ...WORDS, q: 'blue', collection, text_match_type }),
    ),
  );
  return known !== undefined && made === undefined;
};

/** Finds out what a server can do, by a collection of its own that is removed again. Throws when the server is away. */
export const probe = async (typesense: Typesense, prefix: string, now: number): Promise<Capabilities> => {
  const collection = `${prefix}probe_${now}_${Math.random().toString(36).slice(2, 8)}`;
  const version = await typesense.version();
  await typesense.create({ name: collection, fields: FIELDS, default_sorting_field: 'weight' });
  try {
    const lines = await typesense.put(collection, DOCUMENTS.map(lineOf), 'upsert');
    if (!lines.every(({ success }) => success)) return { ...UNABLE, version };
    const able = (name: keyof typeof KNOWN) => isAble(typesense, collection, KNOWN[name]);
    return {
      version,
      filters: await able('filters'),
      sorting: await able('sorting'),
      facets: await able('facets'),
      ranking: await able('ranking'),
      typing: await able('typing'),
      sumScore: await knowsRanking(typesense, collection, 'sum_score'),
    };
  } finally {
    await typesense.drop(collection);
  }
};
