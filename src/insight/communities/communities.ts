import { compareByFqn } from '../../model/name.ts';
import type { LineageView } from '../graph/lineage-view.ts';
import { type LineageNetwork, type NetworkAsset, neighboursOf } from '../graph/network.ts';
import { createTopicCounter, suggestTopic, type Topic } from './common-words.ts';
import { findCommunities } from './find-communities.ts';

/** Assets that lineage joins more closely with each other than with the rest. */
export type Community = {
  /** That of the member whose ID comes first. */
  readonly id: string;
  /** The members, those with the most edges to others first. */
  readonly members: readonly NetworkAsset[];
  /** What their names have in common; that of the first member when it is nothing. */
  readonly topic: Topic;
  /** The number of edges between a member and another asset. */
  readonly crossing: number;
};

const byEdges =
  (edges: Int32Array, assets: readonly NetworkAsset[]) =>
  (one: number, other: number): number => {
    const [asset, otherAsset] = [assets[one], assets[other]];
    if (edges[one] !== edges[other] || !asset || !otherAsset) return (edges[other] ?? 0) - (edges[one] ?? 0);
    return compareByFqn(asset, otherAsset) || one - other;
  };

type Edges = { readonly inside: Int32Array; readonly crossing: Int32Array };

/** Counts the edges of each asset inside its community, and those that leave each community. */
const countEdges = ({ assets, downstream }: LineageNetwork, groups: readonly Int32Array[]): Edges => {
  const groupOf = new Int32Array(assets.length);
  for (const [group, nodes] of groups.entries()) for (const node of nodes) groupOf[node] = group;
  const inside = new Int32Array(assets.length);
  const crossing = new Int32Array(groups.length);
  const count = (list: Int32Array, at: number): void => {
    list[at] = (list[at] ?? 0) + 1;
  };
  for (let node = 0; node < assets.length; node += 1) {
    const own = groupOf[node] ?? 0;
    for (const other of neighboursOf(downstream, node)) {
      const group = groupOf[other] ?? 0;
      const [list, from, to] = group === own ? [inside, node, other] : [crossing, own, group];
      count(list, from);
      count(list, to);
    }
  }
  return { inside, crossing };
};

/** Describes all communities of a view, the largest first. */
export const describeCommunities = async ({ network }: LineageView): Promise<readonly Community[]> => {
  const { assets } = network;
  const groups = await findCommunities(network);
  const { inside, crossing } = countEdges(network, groups);
  const countTopics = createTopicCounter();
  const everywhere = countTopics(assets);
  const inOrder = byEdges(inside, assets);
  return groups
    .map((nodes, group): Community => {
      // Assets are numbered in the order of their IDs.
      const id = assets[nodes[0] ?? 0]?.id ?? '';
      const members = [...nodes].sort(inOrder).flatMap((node) => assets[node] ?? []);
      return {
        id,
        members,
        topic: suggestTopic(members, countTopics(members), everywhere),
        crossing: crossing[group] ?? 0,
      };
    })
    .sort((one, other) => other.members.length - one.members.length || (one.id < other.id ? -1 : 1));
};
