import { parseEntityLink } from '../../src/model/language/entity-link.ts';
import { splitFqn } from '../../src/model/name.ts';
import { matchesIfMatch } from '../../src/model/version.ts';
import { readFilter } from '../../src/search-documents/filter/read-filter.ts';
import { parseSearchQuery } from '../../src/search-documents/query-string/parse-query.ts';
import { DOCUMENTS, found, isField } from './documents.ts';

/**
 * Texts that would take very long if reading them were not linear. Tests show what becomes of them, and `npm run bench`
 * how long that takes: patterns do their work out of reach of any counter.
 */
type HostileTexts = {
  readonly what: string;
  readonly mostMs: number;
  readonly texts: readonly string[];
  /** Reads one of the texts; throws when it is refused. */
  readonly read: (text: string) => unknown;
};

export const HOSTILE_NAMES: HostileTexts = {
  what: 'fully qualified names',
  mostMs: 2000,
  texts: ['"a".'.repeat(200_000), '"'.repeat(400_001), 'a"'.repeat(200_000), `"${'a'.repeat(1_000_000)}`],
  read: splitFqn,
};

const VERSION = { id: '00000000-0000-4000-8000-000000000000', version: 1.1, updatedAt: 1 };

export const HOSTILE_TAGS: HostileTexts = {
  what: 'tags of states',
  mostMs: 1000,
  texts: ['W/"'.repeat(100_000)],
  read: (text) => matchesIfMatch(text, VERSION),
};

export const HOSTILE_LINKS: HostileTexts = {
  what: 'entity links',
  mostMs: 1000,
  texts: ['a', ':a', 'a::', ': '].map((filling) => `<#E::table::${filling.repeat(2_000_000)}>`),
  read: parseEntityLink,
};

export const HOSTILE_QUERIES: HostileTexts = {
  what: 'query strings',
  mostMs: 2000,
  texts: [
    '~1'.repeat(2000),
    `a${'~'.repeat(4000)}b`,
    '\\'.repeat(4095),
    `a^${'1'.repeat(4000)}x`,
    '*?'.repeat(2000),
    `name:[${' '.repeat(4000)}]`,
    `${'NOT '.repeat(1000)}a`,
    `${'-a '.repeat(1000)}`,
  ],
  read: (text) => found(parseSearchQuery(text, { name: 'q', isField })),
};

/** A pattern of a filter, matched with a long name. */
export const HOSTILE_PATTERNS: HostileTexts = {
  what: 'patterns of filters',
  mostMs: 2000,
  texts: [`${'*a'.repeat(2000)}b`],
  read: (text) => {
    const filter = readFilter({ wildcard: { 'name.keyword': text } }, { name: 'query_filter', isField });
    return found(filter, [{ ...DOCUMENTS[0], name: 'a'.repeat(3000) }]);
  },
};
