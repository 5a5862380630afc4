import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { recordNotFound } from '../../errors.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import type { LineageBudget } from '../../lineage/read/walk-edges.ts';
import { compareByFqn } from '../../model/name.ts';
import type { TrustRules } from '../columns/mapping-trust.ts';
import { isInScope, type Scope } from '../scope.ts';
import { type Boundary, readPlacesWithin } from './asset-places.ts';
import { type Flow, findFlows } from './find-flows.ts';
import { listTagCarriers, listTagsBelow } from './queries.ts';
import { type ReadFlowGraph, readFlowGraph } from './read-flow-graph.ts';

/** Lists where the labels of columns flow, as far as the caller may see. */

/** A flow with the tags of its source that were asked for. */
export type LabelledFlow = Flow & { readonly tags: readonly string[] };

export type FlowList = { readonly flows: readonly LabelledFlow[]; readonly cut: string | undefined };

type LabelQuestion = {
  /** The full name of a tag, or of a classification. */
  readonly tag: string;
  readonly trust: TrustRules;
  readonly maxDepth: number;
  readonly budget: LineageBudget;
};

export type FlowQuestion = LabelQuestion & {
  readonly toTypes: ReadonlySet<string>;
  readonly scope: Scope;
  readonly leaves: Boundary | undefined;
};

/** The graph of where labels flow, with the full names of their tags by ID. */
export type LabelGraph = ReadFlowGraph & { readonly tags: ReadonlyMap<string, string> };

const MAX_TAGS = 10_000;

/** So many nodes are looked at for one answer, each once for every source that reaches it. */
const MAX_LOOKS = 2_000_000;

const findTags = async (engine: Engine, principal: Principal, fqn: string): Promise<ReadonlyMap<string, string>> => {
  const rows = await engine.graph.read(listTagsBelow, { fqn, limit: MAX_TAGS });
  const tags = rows.map(({ tag }) => tag);
  const sees = await readNodeVisibility(engine, principal, tags);
  const visible = new Map(tags.flatMap(({ id, fullyQualifiedName }) => (sees(id) ? [[id, fullyQualifiedName]] : [])));
  if (visible.size === 0) throw recordNotFound('tag', fqn);
  return visible;
};

const nearestFirst = (one: Flow, other: Flow): number =>
  one.path.length - other.path.length ||
  compareByFqn(one.source, other.source) ||
  compareByFqn(one.target, other.target);

/** Keeps the flows that end somewhere else: in a place that their source is not in. */
const keepLeaving = async (
  engine: Engine,
  principal: Principal,
  boundary: Boundary,
  flows: readonly LabelledFlow[],
): Promise<readonly LabelledFlow[]> => {
  const ids = new Set(flows.flatMap(({ source, target }) => [source.owner.id, target.id]));
  const placesOf = await readPlacesWithin(engine, principal, boundary, [...ids]);
  return flows.filter(({ source, target }) => {
    const home = new Set(placesOf(source.owner.id));
    return placesOf(target.id).some((place) => !home.has(place));
  });
};

/** Reads where the labels of a tag, or of all tags of a classification, flow. */
export const readLabelGraph = async (
  engine: Engine,
  principal: Principal,
  { tag, trust, maxDepth, budget }: LabelQuestion,
): Promise<LabelGraph> => {
  const tags = await findTags(engine, principal, tag);
  const found = await engine.graph.read(listTagCarriers, { tagIds: [...tags.keys()], limit: budget.edges + 1 });
  const carriers = found.slice(0, budget.edges).map(({ key }) => key);
  const read = await readFlowGraph(engine, principal, { carriers, tagName: tag, trust, maxDepth, budget });
  return { ...read, tags, cut: read.cut ?? (found.length > carriers.length ? 'edges' : undefined) };
};

export const listFlows = async (engine: Engine, principal: Principal, question: FlowQuestion): Promise<FlowList> => {
  const { toTypes, scope, leaves } = question;
  const { tags, graph, sources, cut } = await readLabelGraph(engine, principal, question);
  const inScope = sources.filter(({ fullyQualifiedName }) => isInScope(scope, fullyQualifiedName));
  const { flows, isCut } = findFlows(graph, inScope, ({ entityType }) => toTypes.has(entityType), MAX_LOOKS);
  const tagsOf = new Map(inScope.map(({ key, labels }) => [key, labels.flatMap(({ tagId }) => tags.get(tagId) ?? [])]));
  const labelled = flows.map((flow): LabelledFlow => ({ ...flow, tags: tagsOf.get(flow.source.key) ?? [] }));
  const kept = leaves ? await keepLeaving(engine, principal, leaves, labelled) : labelled;
  return {
    flows: [...kept].sort(nearestFirst),
    cut: cut ?? (isCut ? 'edges' : undefined),
  };
};
