import { ask } from './ask.ts';
import type { TeamBranch } from './team-branch.ts';
import type { Reference } from './types.ts';

/** People and teams, as far as the caller may see them. */

export type Person = {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly email: string;
  readonly description: string;
  readonly isAdmin: boolean;
  readonly teams: readonly Reference[];
};

export type FoundPeople = { readonly people: readonly Person[]; readonly total: number };

type UserSource = {
  readonly id: string;
  readonly name: string;
  readonly displayName?: string;
  readonly email?: string;
  readonly description?: string;
  readonly isAdmin?: boolean;
  readonly teams?: readonly Reference[];
};

type UserAnswer = {
  readonly hits: {
    readonly total: { readonly value: number };
    readonly hits: readonly { readonly _source: UserSource }[];
  };
};

const readPerson = ({ id, name, displayName, email = '', description = '', isAdmin, teams }: UserSource): Person => ({
  id,
  name,
  label: displayName || name,
  email,
  description,
  isAdmin: isAdmin ?? false,
  teams: teams ?? [],
});

/** Programs sign in as users of their own, and are no people. */
const writeFilter = (must: readonly unknown[]): string =>
  JSON.stringify({ query: { bool: { must, must_not: [{ term: { isBot: true } }] } } });

type Wanted = { readonly text: string; readonly from: number; readonly size: number };

const askForPeople = async (
  { text, from, size, must }: Wanted & { readonly must: readonly unknown[] },
  signal?: AbortSignal,
): Promise<FoundPeople> => {
  const isAll = text.trim() === '';
  const answer = await ask<UserAnswer>('/v1/search/query', {
    query: {
      q: isAll ? '*' : text,
      index: 'user',
      from,
      size,
      query_filter: writeFilter(must),
      sort_field: isAll ? 'displayName' : undefined,
      sort_order: isAll ? 'asc' : undefined,
      include_aggregations: false,
      include_source_fields: 'id,name,displayName,email,description,isAdmin,teams',
    },
    signal,
  });
  return { people: answer.hits.hits.map(({ _source }) => readPerson(_source)), total: answer.hits.total.value };
};

export const findPeople = (wanted: Wanted, signal?: AbortSignal): Promise<FoundPeople> =>
  askForPeople({ ...wanted, must: [] }, signal);

/** The people of any of these teams, by their IDs. */
export const findMembers = (
  { teams, from, size }: { readonly teams: readonly string[]; readonly from: number; readonly size: number },
  signal?: AbortSignal,
): Promise<FoundPeople> => askForPeople({ text: '', from, size, must: [{ terms: { 'teams.id': teams } }] }, signal);

export const readTeams = async (signal?: AbortSignal): Promise<readonly TeamBranch[]> =>
  (await ask<{ readonly data: readonly TeamBranch[] }>('/v1/teams/hierarchy', { signal })).data;
