import { createHash } from 'node:crypto';
import type { Kind } from '../../model/kind/kind.ts';
import { slotsOfKinds } from './slots.ts';

/** The properties of documents in which words and terms are looked for. */
const indexedProperties = (kinds: readonly Kind[]): readonly string[] => [
  'terms',
  'bag',
  ...slotsOfKinds(kinds).map(({ name }) => name),
];

/**
 * The index changes nothing in what it is given and splits it at white space: all else is done before. It is brought up
 * to date after a commit and not in it, because a commit that waits for that costs several times as much as the writing;
 * every search waits for what was committed before it instead.
 */
const INDEX_CONFIG = "{`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: true}";

/** The full-text index has another name whenever it is another, so that the old one serves until the new is there. */
export const documentIndexName = (kinds: readonly Kind[]): string => {
  const digest = createHash('sha256')
    .update(`${indexedProperties(kinds).join(' ')} ${INDEX_CONFIG}`)
    .digest('hex');
  return `search_documents_${digest.slice(0, 8)}`;
};

/** What the store needs so that documents of these kinds can be searched. */
export const documentIndexSteps = (
  kinds: readonly Kind[],
): readonly { readonly name: string; readonly text: string }[] => {
  const name = documentIndexName(kinds);
  const properties = indexedProperties(kinds).map((property) => `doc.${property}`);
  const text = `CREATE FULLTEXT INDEX ${name} IF NOT EXISTS FOR (doc:SearchDoc) ON EACH [${properties.join(', ')}]
OPTIONS {indexConfig: ${INDEX_CONFIG}}`;
  return [{ name, text }];
};
