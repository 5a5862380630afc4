import { readEntityLink } from '../api/entity-link.ts';
import { lastName } from '../api/full-name.ts';
import { isReference, type Members, membersAt, nameAt, textAt } from '../api/members.ts';

/** The way to a record from the service or the group that it belongs to. */

export type TrailStep = {
  readonly type: string;
  readonly fqn: string;
  readonly name: string;
  /** The full name of the column of the record that is meant. */
  readonly column?: string;
};

/** Members that name what a record stands in, the outermost first. */
const OUTER_MEMBERS = [
  'service',
  'database',
  'databaseSchema',
  'apiCollection',
  'classification',
  'glossary',
  'directory',
  'parent',
  'entity',
] as const;

const stepOf = (reference: Members): TrailStep => ({
  type: textAt(reference, 'type') ?? '',
  fqn: textAt(reference, 'fullyQualifiedName') ?? textAt(reference, 'name') ?? '',
  name: nameAt(reference),
});

/** The table or other record that an entity link names. */
export const stepOfLink = (link: string): TrailStep | undefined => {
  const linked = readEntityLink(link);
  return linked && { type: linked.type, fqn: linked.fqn, name: lastName(linked.fqn) };
};

/** What a test is about: a table, and the column of it if it is about one. */
const stepsToTarget = (asset: unknown): readonly TrailStep[] => {
  const link = textAt(asset, 'entityLink') ?? '';
  const [target, name, column] = [stepOfLink(link), readEntityLink(link)?.column, textAt(asset, 'entityFQN')];
  if (target === undefined) return [];
  return name === undefined || column === undefined ? [target] : [target, { ...target, name, column }];
};

export const readOuterSteps = (asset: unknown): readonly TrailStep[] => {
  const steps = OUTER_MEMBERS.flatMap((name) => {
    const reference = membersAt(asset, name);
    return isReference(reference) ? [stepOf(reference)] : [];
  });
  return [...steps, ...stepsToTarget(asset)];
};
