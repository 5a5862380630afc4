import type { PropagationState } from '../propagation/judge-columns.ts';
import {
  type FlowBlock,
  MAX_PATHS,
  MAX_SOURCES,
  type Nearest,
  type NearestSource,
  type ValueNode,
} from './nearest-sources.ts';

/** Compares what nodes inherit along lineage with what they have. Values are told apart by what identifies them. */

export type JudgedNode<N extends ValueNode> = {
  readonly node: N;
  readonly state: PropagationState;
  /** What reaches it. Of several values, its own one, else that of the first source. */
  readonly value: string;
  /** Its own value and other values that reach it, as far as they differ. */
  readonly conflictsWith: readonly string[];
  /** The nearest sources, those of the value first. */
  readonly sources: readonly NearestSource<N>[];
  readonly blockedBy: FlowBlock<N> | undefined;
};

const stateOf = (carried: string | undefined, reaching: readonly string[]): PropagationState => {
  if (reaching.length > 1) return 'conflicts';
  if (carried === undefined) return 'missing';
  return carried === reaching[0] ? 'agrees' : 'conflicts';
};

/** Judges a node by the value that it has, whether it passes that on or not. */
export const judgeNode = <N extends ValueNode>(
  { node, sources, blockedBy }: Nearest<N>,
  carried: string | undefined,
): JudgedNode<N> => {
  const reaching = [...new Set(sources.map(({ value }) => value))];
  const value = carried !== undefined && reaching.includes(carried) ? carried : (reaching[0] ?? '');
  const ordered = [...sources.filter((one) => one.value === value), ...sources.filter((one) => one.value !== value)];
  const others = [...new Set([...(carried === undefined ? [] : [carried]), ...reaching])].filter(
    (one) => one !== value,
  );
  return {
    node,
    state: blockedBy === undefined ? stateOf(carried, reaching) : 'blocked',
    value,
    conflictsWith: blockedBy === undefined ? others : [],
    sources: ordered.slice(0, MAX_SOURCES),
    blockedBy,
  };
};

/** Some of the shortest ways to a node: one from each source, then further ones. All are equally long. */
export const listShownPaths = <N extends ValueNode>({ sources }: JudgedNode<N>): readonly (readonly N[])[] => {
  const all = sources.map(({ listPaths }) => listPaths());
  const rounds = Array.from({ length: MAX_PATHS }, (_, round) => all.flatMap((paths) => paths.slice(round, round + 1)));
  return rounds.flat().slice(0, MAX_PATHS);
};
