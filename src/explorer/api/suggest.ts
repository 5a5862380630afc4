import { ask } from './ask.ts';
import { EVERYTHING } from './facets.ts';
import type { Hit, SearchHit } from './hit.ts';
import { readHit } from './hit.ts';

type SuggestAnswer = { readonly 'metadata-suggest': readonly { readonly options: readonly SearchHit[] }[] };

/** Assets whose names begin with a text. */
export const findBeginnings = async (text: string, size: number, signal?: AbortSignal): Promise<readonly Hit[]> => {
  const answer = await ask<SuggestAnswer>('/v1/search/suggest', {
    query: {
      q: text,
      index: EVERYTHING,
      size,
      include_source_fields: 'id,entityType,name,displayName,fullyQualifiedName',
    },
    signal,
  });
  return (answer['metadata-suggest'][0]?.options ?? []).map(readHit);
};
