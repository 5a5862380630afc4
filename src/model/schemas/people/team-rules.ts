import { badRequest } from '../../../errors.ts';
import type { RelatedRecord, RelatedRule } from '../../kind/record-rules.ts';
import { canContainTeam, hasSingleParent, type TeamType } from './person.ts';

const teamTypeOf = (team: Pick<RelatedRecord, 'teamType'>): TeamType => (team.teamType ?? 'Group') as TeamType;

/** Whether a team may have only one parent, so that no second one can add it as a child. */
export const hasSingleParentType = (team: Pick<RelatedRecord, 'teamType'>): boolean =>
  hasSingleParent(teamTypeOf(team));

/** Validates the hierarchy of teams (identity.md 4): the types of parents and children, and the number of parents. */
export const checkTeamHierarchy: RelatedRule = (candidate, related, before) => {
  const type = candidate['teamType'] as TeamType;
  if (before?.['teamType'] === 'Group' && type !== 'Group') {
    throw badRequest(`A Group keeps its type and can't become a ${type}`);
  }
  if (before?.['teamType'] === 'Organization' && type !== 'Organization') {
    throw badRequest(`The team Organization keeps its type and can't become a ${type}`);
  }
  const parents = related['parents'] ?? [];
  const children = related['children'] ?? [];
  if (type === 'Organization' && candidate['name'] !== 'Organization') {
    throw badRequest('A team of type Organization already exists');
  }
  if (type === 'Organization' && parents.length > 0) throw badRequest('An Organization has no parents');
  if (hasSingleParent(type) && parents.length > 1) throw badRequest(`A ${type} has exactly one parent`);
  for (const parent of parents) {
    if (!canContainTeam(teamTypeOf(parent), type)) throw badRequest(`A ${teamTypeOf(parent)} cannot hold a ${type}`);
  }
  for (const child of children) {
    if (!canContainTeam(type, teamTypeOf(child))) throw badRequest(`A ${type} cannot hold a ${teamTypeOf(child)}`);
  }
};
