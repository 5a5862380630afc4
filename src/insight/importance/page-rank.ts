import { setImmediate as nextTurn } from 'node:timers/promises';
import { degreeOf, type LineageNetwork } from '../graph/network.ts';

/** The share of an asset's rank that goes to what it is made from; the rest is spread evenly over all assets. */
const DAMPING = 0.85;

const MAX_ROUNDS = 200;

/** The sum of all changes of a round below which the ranks count as settled. */
const TOLERANCE = 1e-10;

/** The number of rounds after which other requests get a turn, by the edges that a round walks. */
const EDGES_PER_TURN = 1_000_000;

/** The rank that assets without anything upstream hand on; it is spread evenly over all assets. */
const sumOfRoots = ({ upstream }: LineageNetwork, ranks: Float64Array): number =>
  ranks.reduce((sum, rank, node) => (degreeOf(upstream, node) === 0 ? sum + rank : sum), 0);

/**
 * Computes one round. Each asset hands its rank on to the assets it is made from, in equal shares. The order of additions
 * follows from the numbers of the assets, so the result is always the same to the last digit.
 */
const spread = (network: LineageNetwork, ranks: Float64Array): Float64Array => {
  const { upstream, downstream } = network;
  const size = ranks.length;
  const base = (1 - DAMPING + DAMPING * sumOfRoots(network, ranks)) / size;
  const shares = ranks.map((rank, node) => rank / Math.max(1, degreeOf(upstream, node)));
  const next = new Float64Array(size);
  for (let node = 0; node < size; node += 1) {
    let sum = 0;
    const end = downstream.starts[node + 1] ?? 0;
    for (let at = downstream.starts[node] ?? 0; at < end; at += 1) sum += shares[downstream.ends[at] ?? 0] ?? 0;
    next[node] = base + DAMPING * sum;
  }
  return next;
};

/** Computes PageRank over reversed lineage: what much depends on ranks high. The ranks of all assets add up to 1. */
export const rankByDependents = async (network: LineageNetwork): Promise<Float64Array> => {
  const size = network.assets.length;
  let ranks = new Float64Array(size).fill(1 / size);
  const roundsPerTurn = Math.max(1, Math.floor(EDGES_PER_TURN / (size + network.downstream.ends.length + 1)));
  for (let round = 1; round <= MAX_ROUNDS && size > 0; round += 1) {
    const next = spread(network, ranks);
    const change = next.reduce((sum, rank, node) => sum + Math.abs(rank - (ranks[node] ?? 0)), 0);
    ranks = new Float64Array(next);
    if (change < TOLERANCE) break;
    if (round % roundsPerTurn === 0) await nextTurn();
  }
  return ranks;
};
