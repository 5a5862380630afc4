import { ask } from '../api/ask.ts';
import { recordPath } from '../api/asset.ts';
import { type FoundPeople, findMembers } from '../api/people.ts';
import type { Reference } from '../api/types.ts';

/** Who belongs to a team, and who to a team below it. */

export type TeamPeople = FoundPeople & { readonly belowCut: number };

/** So many IDs fit into an address. Larger trees of teams are looked into team by team. */
const MOST_TEAMS = 150;

const readDescendantTeams = async (id: string, signal: AbortSignal): Promise<readonly string[]> => {
  const { descendantTeams = [] } = await ask<{ readonly descendantTeams?: readonly Reference[] }>(
    recordPath('team', id),
    { query: { fields: 'descendantTeams' }, signal },
  );
  return descendantTeams.flatMap((team) => (team.id === undefined ? [] : [team.id]));
};

export const PEOPLE_PAGE = 50;

/** One page of the people of a team, those of its teams included where they can be asked for at once. */
export const readTeamPeople = async (id: string, from: number, signal: AbortSignal): Promise<TeamPeople> => {
  const below = await readDescendantTeams(id, signal);
  const isCut = below.length > MOST_TEAMS;
  const teams = isCut ? [id] : [id, ...below];
  return { ...(await findMembers({ teams, from, size: PEOPLE_PAGE }, signal)), belowCut: isCut ? below.length : 0 };
};
