import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import { CARRIERS } from '../../model/lineage-values.ts';
import { fqnPart } from '../../model/name.ts';
import { decodeDetails } from '../edge.ts';
import { pairsOf } from '../merge.ts';
import { sightOf } from '../sight.ts';
import type { Budget } from '../subgraph.ts';
import { cyclesIn } from './cycles.ts';
import type { Hub, ScopeEdge, ScopePairs } from './queries.ts';
import { type Listed, survey } from './survey.ts';

/** A column that an edge names and that is not there, or not joined. */
export type Dangling = { readonly from: string; readonly to: string; readonly owner: string; readonly column: string };

export type Health = {
  readonly cycles: Listed<readonly string[]>;
  readonly orphans: Listed<string>;
  readonly dangling: Listed<Dangling>;
  readonly unconfirmed: Listed<ScopeEdge>;
  readonly hubs: Listed<Hub>;
};

export type HealthWish = {
  /** The name of what is looked at, with all below it; everything when empty. */
  readonly scope: string;
  /** Edges that nobody has confirmed since then are told. */
  readonly olderThan: number | undefined;
  /** How many items a list may have. */
  readonly limit: number;
};

const tracesColumns = perKind((kind) => kind.trees.some(([, { traced }]) => traced) || kind.tracedParts !== undefined);

/** Kinds of which lineage is to be expected, so that a record without any is worth a look. */
const isExpected = (kind: Kind): boolean => tracesColumns(kind) || CARRIERS.some((type) => type === kind.entityType);

const first = <T>(items: readonly T[], limit: number, isCut = false): Listed<T> => ({
  items: items.slice(0, limit),
  isCut: isCut || items.length > limit,
});

/** The columns of an edge that it names and does not join. */
const danglingIn = ({ from, to, detailsJson, pairs }: ScopePairs): Dangling[] => {
  const full = (owner: string, name: string) => (name.startsWith(`${owner}.`) ? name : `${owner}.${fqnPart(name)}`);
  const joined = new Set(
    pairs.flatMap(([one, other]) => [full(from.fullyQualifiedName, one), full(to.fullyQualifiedName, other)]),
  );
  const named = new Map<string, string>();
  for (const pair of pairsOf(decodeDetails(detailsJson, null).mappings).values()) {
    named.set(`${from.fullyQualifiedName}.${pair.from}`, from.id);
    named.set(`${to.fullyQualifiedName}.${pair.to}`, to.id);
  }
  return [...named].flatMap(([column, owner]) =>
    joined.has(column) ? [] : [{ from: from.id, to: to.id, owner, column }],
  );
};

/** Looks for what is amiss with the lineage of a scope, among what the caller may view. */
export const examine = async (
  engine: Engine,
  principal: Principal,
  { scope, olderThan, limit }: HealthWish,
  budget: Budget,
): Promise<Health> => {
  const expected = engine.registry.kinds.filter(isExpected);
  const { edges, pairs, orphans, hubs } = await survey(engine, scope, expected, budget);
  const sees = await sightOf(engine, principal, [
    ...[...edges.items, ...pairs.items].flatMap(({ from, to }) => [from, to]),
    ...[...orphans.items, ...hubs.items].map(({ node }) => node),
  ]);
  const seen = <T extends { readonly from: { readonly id: string }; readonly to: { readonly id: string } }>(
    all: readonly T[],
  ) => all.filter(({ from, to }) => sees(from.id) && sees(to.id));
  const known = seen(edges.items);
  const old = known.filter(({ seenAt }) => olderThan !== undefined && seenAt < olderThan);
  const cycles = cyclesIn(known.map(({ from, to }) => [from.id, to.id]));
  const lone = orphans.items.map(({ node }) => node.id).filter(sees);
  const largest = hubs.items
    .filter(({ node }) => sees(node.id))
    .sort((a, b) => b.upstream + b.downstream - a.upstream - a.downstream);
  return {
    cycles: first(cycles, limit, edges.isCut),
    orphans: first(lone, limit, orphans.isCut),
    dangling: first(seen(pairs.items).flatMap(danglingIn), limit, pairs.isCut),
    unconfirmed: first(
      [...old].sort((a, b) => a.seenAt - b.seenAt),
      limit,
      olderThan !== undefined && edges.isCut,
    ),
    hubs: first(largest, limit, hubs.isCut),
  };
};
