import type { Engine } from '../../../catalog/engine.ts';
import { countRecordsOfKind } from '../../../catalog/list-queries.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import type { StatementTemplate } from '../../../graph/statement.ts';
import type { Kind } from '../../../model/kind/kind.ts';
import { PIPELINE_KINDS } from '../../../model/schemas/lineage/lineage.ts';
import type { LineageBudget } from '../subgraph.ts';
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
  type ScopeEdge,
  type ScopePairs,
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

/** Runs a statement for one kind after another until the limit is reached. */
const readPerLabel = async <P extends { readonly limit: number }, R extends object>(
  { graph }: Engine,
  kinds: readonly Kind[],
  statement: StatementTemplate<P, R>,
  params: Omit<P, 'limit'>,
  most: number,
): Promise<LimitedList<R>> => {
  const items: R[] = [];
  for (const { label } of kinds) {
    const limit = most - items.length + 1;
    items.push(...(await graph.read(statement.for(label), { ...params, limit } as unknown as P)));
    if (items.length > most) return { items: items.slice(0, most), isCut: true };
  }
  return { items, isCut: false };
};

/** The kinds to examine, the number of records of each, and whether some are left out. */
type SurveyPlan = { readonly looks: readonly (readonly [kind: Kind, look: number])[]; readonly isCut: boolean };

const planSurvey = async (
  { graph }: Engine,
  kinds: readonly Kind[],
  scope: string,
  most: number,
): Promise<SurveyPlan> => {
  const looks: (readonly [Kind, number])[] = [];
  let left = most;
  for (const kind of kinds) {
    // The database stores the number of records per kind.
    const [found] =
      scope === ''
        ? (await graph.read(countRecordsOfKind.for(kind.label), {})).map(({ live }) => ({ count: live }))
        : await graph.read(countScope.for(kind.label), { scope, limit: left + 1 });
    const count = found?.count ?? 0;
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
  for (const [{ label }, look] of looks) {
    const params = { scope, look, limit: most - items.length + 1, carrierTypes: PIPELINE_KINDS };
    items.push(...(await engine.graph.read(listScopeOrphans.for(label), params)));
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
  for (const [{ label }, look] of looks) {
    const params = { scope, look, least: MIN_HUB_NEIGHBOURS, limit: most };
    items.push(...(await engine.graph.read(listScopeHubs.for(label), params)));
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
  const within = { scope };
  return {
    edges: await readPerLabel(engine, engine.registry.kinds, listScopeEdges, within, budget.edges),
    pairs: await readPerLabel(engine, expected, listScopePairs, within, budget.edges),
    orphans: await readOrphans(engine, expected, scope, budget),
    hubs: await readHubs(engine, scope, budget),
  };
};
