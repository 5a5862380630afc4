import { ask } from './ask.ts';
import type { Reference } from './types.ts';

type PersonHit = { readonly _source: Reference & { readonly entityType: string } };

const MOST_FOUND = 8;

/** Words that are plain enough for the last of them to be the beginning of a longer one. */
const PLAIN = /^[\p{L}\p{N}\s]+$/u;

/** Users and teams whose names have these words, or begin with them. */
export const findOwners = async (text: string, signal: AbortSignal): Promise<readonly Reference[]> => {
  const words = text.trim();
  const { hits } = await ask<{ readonly hits: { readonly hits: readonly PersonHit[] } }>('/v1/search/query', {
    query: {
      q: PLAIN.test(words) ? `${words}*` : words,
      index: 'user,team',
      size: MOST_FOUND,
      include_source_fields: 'id,entityType,name,displayName,fullyQualifiedName',
    },
    signal,
  });
  return hits.hits.map(({ _source: { entityType, ...person } }) => ({ ...person, type: entityType }));
};
