import { createHash } from 'node:crypto';
import type { Kind } from '../../model/kind/kind.ts';
import { SPELLING_SLOTS, slotsOfKinds } from './slots.ts';

/** The document properties that the full-text index covers. */
export const indexedProperties = (kinds: readonly Kind[]): readonly string[] => [
  'terms',
  'bag',
  ...[...slotsOfKinds(kinds), ...SPELLING_SLOTS].map(({ name }) => name),
];

/**
 * The index only splits texts at white space; everything else happens before. It is updated after a commit and not
 * within it, because a commit that waits for the update takes several times as long as the write; instead, every search
 * waits for the updates of earlier commits.
 */
const INDEX_CONFIG = "{`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: true}";

/**
 * The name of the full-text index. It changes with the definition, so that the old index serves until the new one is
 * ready.
 */
export const documentIndexName = (kinds: readonly Kind[]): string => {
  const digest = createHash('sha256')
    .update(`${indexedProperties(kinds).join(' ')} ${INDEX_CONFIG}`)
    .digest('hex');
  return `search_documents_${digest.slice(0, 8)}`;
};

/** The schema steps that make documents of these kinds searchable. */
export const documentIndexSteps = (
  kinds: readonly Kind[],
): readonly { readonly name: string; readonly text: string }[] => {
  const name = documentIndexName(kinds);
  const properties = indexedProperties(kinds).map((property) => `doc.${property}`);
  const text = `CREATE FULLTEXT INDEX ${name} IF NOT EXISTS FOR (doc:SearchDoc) ON EACH [${properties.join(', ')}]
OPTIONS {indexConfig: ${INDEX_CONFIG}}`;
  return [{ name, text }];
};
