import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import type { BoundStatement } from '../../../graph/statement.ts';
import type { Kind } from '../../../model/kind/kind.ts';
import { PIPELINE_KINDS } from '../../../model/schemas/lineage/lineage.ts';
import type { LineageBudget } from '../walk-edges.ts';
import {
  countEdges,
  countScope,
  type Hub,
  listColumnPairs,
  listEdges,
  listHubs,
  listScopeEdges,
  listScopeHubs,
  listScopeOrphans,
  listScopePairs,
  type OfKinds,
  type ScopeEdge,
  type ScopePairs,
  type ScopeParams,
} from './queries.ts';

export type LimitedList<T> = { readonly items: readonly T[]; readonly isCut: boolean };

/** Possible problems in a scope, each list with whether it was cut. */
export type HealthSurvey = {
  readonly edges: LimitedList<ScopeEdge>;
  readonly pairs: LimitedList<ScopePairs>;
  readonly orphans: LimitedList<{ readonly node: RefNode }>;
  readonly hubs: LimitedList<Hub>;
};

/** Records with fewer neighbours are no hubs. */
const MIN_HUB_NEIGHBOURS = 3;

/** The number of records examined per record that an answer may contain. */
const LOOKS_PER_NODE = 10;

/** Lists what a statement finds below a scope, kind after kind, and notices when there is more. */
const readBelow = async <R extends object>(
  { graph }: Engine,
  kinds: readonly Kind[],
  statement: BoundStatement<ScopeParams & OfKinds, R>,
  scope: string,
  most: number,
): Promise<LimitedList<R>> => {
  const entityTypes = kinds.map(({ entityType }) => entityType);
  const items = await graph.read(statement, { entityTypes, scope, limit: most + 1 });
  return { items: items.slice(0, most), isCut: items.length > most };
};

/** The kinds to examine, the number of records of each, and whether some are left out. */
type SurveyPlan = { readonly looks: readonly (readonly [kind: Kind, look: number])[]; readonly isCut: boolean };

const planSurvey = async (
  { graph, store }: Engine,
  kinds: readonly Kind[],
  scope: string,
  most: number,
): Promise<SurveyPlan> => {
  const looks: (readonly [Kind, number])[] = [];
  let left = most;
  for (const kind of kinds) {
    const { entityType } = kind;
    const count =
      scope === ''
        ? await store.countRecords.live(kind)
        : ((await graph.read(countScope, { entityType, scope, limit: left + 1 }))[0]?.count ?? 0);
    if (count > 0) looks.push([kind, Math.min(count, left)]);
    if (count > left) return { looks, isCut: true };
    left -= count;
  }
  return { looks, isCut: false };
};

/** Finds records without lineage among the records the plan covers. */
const readOrphans = async (
  engine: Engine,
  kinds: readonly Kind[],
  scope: string,
  { nodes: most }: LineageBudget,
): Promise<HealthSurvey['orphans']> => {
  const { looks, isCut } = await planSurvey(engine, kinds, scope, most * LOOKS_PER_NODE);
  const items: { node: RefNode }[] = [];
  for (const [{ entityType }, look] of looks) {
    const params = { entityType, scope, look, limit: most - items.length + 1, carrierTypes: PIPELINE_KINDS };
    items.push(...(await engine.graph.read(listScopeOrphans, params)));
    if (items.length > most) return { items: items.slice(0, most), isCut: true };
  }
  return { items, isCut };
};

/** Reads the largest hubs of each kind, so the largest of all are among them. */
const readHubs = async (
  engine: Engine,
  scope: string,
  { nodes: most }: LineageBudget,
): Promise<HealthSurvey['hubs']> => {
  const { looks, isCut } = await planSurvey(engine, engine.registry.kinds, scope, most * LOOKS_PER_NODE);
  const items: Hub[] = [];
  for (const [{ entityType }, look] of looks) {
    const params = { entityType, scope, look, least: MIN_HUB_NEIGHBOURS, limit: most };
    items.push(...(await engine.graph.read(listScopeHubs, params)));
  }
  return { items, isCut };
};

/** Surveys the whole catalog by scanning edges in storage order, without looking up names. */
const surveyEverything = async (
  engine: Engine,
  expected: readonly Kind[],
  budget: LineageBudget,
): Promise<HealthSurvey> => {
  const { graph } = engine;
  const most = { limit: budget.edges };
  const [[all], edges, pairs, hubs, orphans] = await Promise.all([
    graph.read(countEdges, {}),
    graph.read(listEdges, most),
    graph.read(listColumnPairs, most),
    graph.read(listHubs, { look: budget.edges, least: MIN_HUB_NEIGHBOURS, limit: budget.nodes }),
    readOrphans(engine, expected, '', budget),
  ]);
  const isCut = (all?.count ?? 0) > budget.edges;
  const listed = <T>(items: readonly T[]): LimitedList<T> => ({ items, isCut });
  return { edges: listed(edges), pairs: listed(pairs), hubs: listed(hubs), orphans };
};

/**
 * Surveys a record and everything below it, or the whole catalog; `expected` are the kinds that should have lineage.
 */
export const surveyScope = async (
  engine: Engine,
  scope: string,
  expected: readonly Kind[],
  budget: LineageBudget,
): Promise<HealthSurvey> => {
  if (scope === '') return surveyEverything(engine, expected, budget);
  return {
    edges: await readBelow(engine, engine.registry.kinds, listScopeEdges, scope, budget.edges),
    pairs: await readBelow(engine, expected, listScopePairs, scope, budget.edges),
    orphans: await readOrphans(engine, expected, scope, budget),
    hubs: await readHubs(engine, scope, budget),
  };
};
