import type { RecordFacts } from '../../access/authorize.ts';
import type { Fact } from '../../model/decide.ts';
import type { Engine, Writer } from '../engine.ts';
import type { Candidate } from './candidate.ts';
import type { Home } from './home.ts';
import { resolvePointers } from './resolve.ts';

const UNKNOWN: RecordFacts = {
  ownerIds: [],
  owningTeamIds: [],
  peoplesTeamIds: [],
  domainIds: [],
  tags: new Set(),
  certification: undefined,
};

/**
 * A record that is not there yet is judged by where it is to hang: its owners are those of its parent, whoever the
 * request names, since nobody gains the right to create something by naming himself. Domains and labels are those the
 * request names; without any, its domains are those of the parent.
 */
const factsOfNew = async (
  engine: Engine,
  candidate: Candidate,
  { placements }: Home,
  needs: ReadonlySet<Fact>,
): Promise<RecordFacts> => {
  const [nearest] = placements;
  const inherited = nearest && (await engine.facts.one(nearest.parent.id, needs));
  const { domains = [], tags = [] } = candidate;
  const own = needs.has('domains') ? await resolvePointers(engine, domains, ['domain']) : [];
  const facts = inherited ?? UNKNOWN;
  return {
    ...facts,
    domainIds: own.length > 0 ? own.map(({ id }) => id) : facts.domainIds,
    tags: new Set(tags.map(({ tagFQN }) => tagFQN)),
    certification: undefined,
  };
};

/** Lets the caller create a record, or throws forbidden. */
export const permitCreation = async (
  engine: Engine,
  { kind, principal }: Writer,
  candidate: Candidate,
  home: Home,
  operations: readonly string[],
): Promise<void> => {
  const resource = kind.entityType;
  const needs = engine.judge.needs(principal, operations, resource);
  if (needs.size === 0) return engine.authorize(principal, operations, { resource });
  engine.authorize(principal, operations, { resource, facts: await factsOfNew(engine, candidate, home, needs) });
};
