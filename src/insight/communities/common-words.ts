import { trySplitFqn } from '../../model/name.ts';
import type { NetworkAsset } from '../graph/network.ts';

/** What the names of assets have in common. */

/** Parts of names in capitals, in small letters, or in a script without both; figures and separators divide them. */
const WORD = /\p{Lu}?(?:\p{Ll}\p{M}*)+|\p{Lu}+(?!\p{Ll})|[\p{Lo}\p{Lm}\p{M}]+/gu;

const wordsOf = (name: string): readonly string[] =>
  (name.normalize('NFC').match(WORD) ?? []).filter((word) => word.length > 1).map((word) => word.toLowerCase());

/** Lists what an asset may give its name to a group by: the words of its own name, and the name of what contains it. */
const listTopics = (fullyQualifiedName: string): readonly string[] => {
  const parts = trySplitFqn(fullyQualifiedName) ?? [fullyQualifiedName];
  const container = parts.length > 1 ? wordsOf(parts.at(-2) ?? '').join(' ') : '';
  const topics = new Set(wordsOf(parts.at(-1) ?? ''));
  if (container !== '') topics.add(container);
  return [...topics];
};

export type TopicCounts = ReadonlyMap<string, number>;

/** Counts how many of some assets have each topic. Those of an asset are found once, however often it is counted. */
export const createTopicCounter = (): ((assets: readonly NetworkAsset[]) => TopicCounts) => {
  const known = new Map<NetworkAsset, readonly string[]>();
  const topicsOf = (asset: NetworkAsset): readonly string[] => {
    const topics = known.get(asset) ?? listTopics(asset.fullyQualifiedName);
    known.set(asset, topics);
    return topics;
  };
  return (assets) => {
    const counts = new Map<string, number>();
    for (const asset of assets) {
      for (const topic of topicsOf(asset)) counts.set(topic, (counts.get(topic) ?? 0) + 1);
    }
    return counts;
  };
};

/** How well something tells members from other assets, of which `everywhere` have it: all of the first, none of the rest. */
export const rateTopic = (members: number, everywhere: number): number => (members * members) / everywhere;

export type Topic = { readonly text: string; readonly rating: number };

/** A topic must be shared by so many of the members. */
const LEAST_SHARE = 0.25;

/** Whether enough members share something for the whole to be called by it. */
export const isShared = (members: number, size: number): boolean => members > 1 && members >= LEAST_SHARE * size;

/** Finds what most of some assets and few others have in their names, by how many have what. */
const findTopic = (size: number, counts: TopicCounts, everywhere: TopicCounts): Topic | undefined => {
  let best: Topic | undefined;
  for (const [text, members] of counts) {
    const rating = rateTopic(members, everywhere.get(text) ?? members);
    if (!isShared(members, size) || (best && rating < best.rating)) continue;
    if (!best || rating > best.rating || text < best.text) best = { text, rating };
  }
  return best;
};

const titleOf = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** Finds what to call some assets by their names: by what they have in common, or else by the name of the first. */
export const suggestTopic = (assets: readonly NetworkAsset[], counts: TopicCounts, everywhere: TopicCounts): Topic => {
  const shared = findTopic(assets.length, counts, everywhere);
  if (shared) return { ...shared, text: titleOf(shared.text) };
  const [first] = assets;
  const name = trySplitFqn(first?.fullyQualifiedName ?? '')?.at(-1) ?? first?.fullyQualifiedName ?? '';
  return { text: titleOf(wordsOf(name).join(' ')) || name, rating: 0 };
};
