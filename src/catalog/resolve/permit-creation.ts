import type { RecordFacts } from '../../access/authorization.ts';
import { CatalogError } from '../../errors.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { ResourceFact } from '../../model/language/condition-evaluation.ts';
import type { AccessNeed } from '../../model/schemas/access/policy.ts';
import type { Engine, Writer } from '../engine.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../read/facts.ts';
import type { Candidate } from './candidate.ts';
import type { ParentLocation } from './parent-location.ts';
import { resolvePointers } from './references.ts';

const NO_FACTS: RecordFacts = {
  ownerIds: [],
  owningTeamIds: [],
  peoplesTeamIds: [],
  domainIds: [],
  tags: new Set(),
  certification: undefined,
};

/**
 * Builds the facts by which the creation of a record is authorized: the owners are those of its parent, whatever the
 * request names, so that nobody gains the right by naming themselves. Domains and labels are those of the request;
 * without domains in the request, the parent's count.
 */
const factsOfNewRecord = async (
  engine: Engine,
  candidate: Candidate,
  { placements, founded }: ParentLocation,
  needs: ReadonlySet<ResourceFact>,
): Promise<RecordFacts> => {
  const nearest = placements.find(({ parent }) => parent.id !== founded?.id);
  const inherited = nearest && (await engine.facts.read(nearest.parent.id, needs));
  const { domains = [], tags = [] } = candidate;
  const own = needs.has('domains') ? await resolvePointers(engine, domains, ['domain']) : [];
  const facts = inherited ?? NO_FACTS;
  return {
    ...facts,
    domainIds: own.length > 0 ? own.map(({ id }) => id) : facts.domainIds,
    tags: new Set(tags.map(({ tagFQN }) => tagFQN)),
    certification: undefined,
  };
};

/** The rights of which a caller needs one to create records of a kind. */
export const creationNeeds = (
  { entityType, alsoCreatedBy }: Kind,
  operations: readonly string[] = ['Create'],
): readonly AccessNeed[] => [
  ...operations.map((operation) => ({ operation, resource: entityType })),
  ...(alsoCreatedBy ? [{ operation: alsoCreatedBy.operation, resource: alsoCreatedBy.kind }] : []),
];

/** The rights of which a caller needs one to create or replace records of a kind. */
export const puttingNeeds = (kind: Kind): readonly AccessNeed[] => [
  { operation: 'EditAll', resource: kind.entityType },
  ...creationNeeds(kind),
];

/** Whether the caller has a right on an ancestor of the new record that also allows creating it. */
const isPermittedByAncestor = async (
  engine: Engine,
  { kind, principal }: Writer,
  home: ParentLocation,
): Promise<boolean> => {
  const { alsoCreatedBy } = kind;
  const above = alsoCreatedBy && home.ancestors.find(({ entityType }) => entityType === alsoCreatedBy.kind);
  if (!alsoCreatedBy || !above) return false;
  const [resource, operations] = [alsoCreatedBy.kind, [alsoCreatedBy.operation]];
  const needs = engine.authorizer.requiredFacts(principal, operations, resource);
  try {
    const facts = needs.size === 0 ? undefined : await engine.facts.read(above.id, needs);
    engine.authorize(principal, operations, facts ? { resource, facts } : { resource });
    return true;
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'forbidden') return false;
    throw failure;
  }
};

const permitByKind = async (
  engine: Engine,
  { kind, principal }: Writer,
  candidate: Candidate,
  home: ParentLocation,
  operations: readonly string[],
): Promise<void> => {
  const resource = kind.entityType;
  const needs = engine.authorizer.requiredFacts(principal, operations, resource);
  if (needs.size === 0) return engine.authorize(principal, operations, { resource });
  engine.authorize(principal, operations, { resource, facts: await factsOfNewRecord(engine, candidate, home, needs) });
};

/** Throws forbidden unless the caller sees what the new record is about, as a request to read that would be refused. */
const assertSubjectsSeen = async (
  engine: Engine,
  { kind, principal }: Writer,
  { placements }: ParentLocation,
): Promise<void> => {
  for (const { parent } of placements) {
    const subject = kind.isAbout?.includes(parent.entityType) && engine.registry.byType.get(parent.entityType);
    if (subject) await authorizeRecord(engine, principal, VIEW_OPERATIONS, { kind: subject, id: parent.id });
  }
};

/** Throws forbidden unless the caller may create the record. */
export const permitCreation = async (
  engine: Engine,
  writer: Writer,
  candidate: Candidate,
  home: ParentLocation,
  operations: readonly string[],
): Promise<void> => {
  await assertSubjectsSeen(engine, writer, home);
  try {
    await permitByKind(engine, writer, candidate, home, operations);
  } catch (failure) {
    const isForbidden = failure instanceof CatalogError && failure.code === 'forbidden';
    if (!isForbidden) throw failure;
    if (await isPermittedByAncestor(engine, writer, home)) return;
    const { insteadOfCreation } = writer.kind;
    throw insteadOfCreation === undefined
      ? failure
      : new CatalogError('forbidden', failure.message, { hint: insteadOfCreation });
  }
};
