import { useQuery } from '@tanstack/react-query';
import { ask } from './ask.ts';
import type { Schemas } from './types.ts';

/** How soon a page without other questions notices that its session was ended elsewhere. */
const ASK_AGAIN_MS = 30_000;

/** The person who is signed in, with what they own and follow. Asked for again and again, as long as the page is seen. */
export const useMe = () =>
  useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) =>
      ask<Schemas['User']>('/v1/users/loggedInUser', { query: { fields: 'owns,follows,teams' }, signal }),
    refetchInterval: ASK_AGAIN_MS,
    refetchOnWindowFocus: 'always',
  });
