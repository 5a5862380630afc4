import type { TeamBranch } from '../api/team-branch.ts';

/** A team in the list of teams: how deep it stands, and how many teams it has below it. */
export type TeamRow = {
  readonly team: TeamBranch;
  readonly depth: number;
  readonly below: number;
  readonly isOpen: boolean;
};

const labelOf = ({ displayName, name }: TeamBranch): string => displayName || name;

const countBelow = ({ children = [] }: TeamBranch): number =>
  children.reduce((count, child) => count + 1 + countBelow(child), 0);

const matches = (team: TeamBranch, words: string): boolean =>
  labelOf(team).toLowerCase().includes(words) || team.name.toLowerCase().includes(words);

const hasMatch = (team: TeamBranch, words: string): boolean =>
  matches(team, words) || (team.children ?? []).some((child) => hasMatch(child, words));

const byLabel = (one: TeamBranch, other: TeamBranch): number => labelOf(one).localeCompare(labelOf(other));

/**
 * The tree of teams as rows, without what is below closed teams. While somebody looks for a name, only teams that have it
 * and those above them are there, whatever is closed.
 */
export const listTeamRows = (
  teams: readonly TeamBranch[],
  { closed, text }: { readonly closed: ReadonlySet<string>; readonly text: string },
  depth = 0,
): readonly TeamRow[] => {
  const words = text.trim().toLowerCase();
  const shown = words === '' ? [...teams] : teams.filter((team) => hasMatch(team, words));
  return shown.sort(byLabel).flatMap((team) => {
    const isOpen = words !== '' || !closed.has(team.id);
    const row = { team, depth, below: countBelow(team), isOpen };
    return [row, ...(isOpen ? listTeamRows(team.children ?? [], { closed, text }, depth + 1) : [])];
  });
};
