import type { AssetName } from '../addresses.ts';
import type { Schemas } from '../api/types.ts';

/** What the explorer says of what is suspected to be the cause of failures. */

export type RootCause = Schemas['RootCause'];
export type Suspect = RootCause['suspects'][number];

/** How much of what fails a suspect may explain, in words. */
export const describeCover = ({ covers }: Pick<Suspect, 'covers'>, failures: number): string => {
  if (failures <= 1) return 'may explain the failure';
  return covers === failures ? `may explain all ${failures} failures` : `may explain ${covers} of ${failures} failures`;
};

export const describeDepth = ({ depth }: Pick<Suspect, 'depth'>): string => {
  if (depth === 0) return 'this asset';
  return depth === 1 ? 'one step upstream' : `${depth} steps upstream`;
};

/** The asset at the end of a suspect's trail; the subject may be a test or a contract of it. */
export const endOfTrail = (
  { trail }: Pick<Suspect, 'trail'>,
  { failures, subject }: RootCause,
): AssetName | undefined => {
  const fqn = trail.at(-1);
  const known = [subject, ...failures.map(({ entity }) => entity)].find((ref) => ref.fullyQualifiedName === fqn);
  return fqn === undefined || known?.type === undefined ? undefined : { type: known.type, fqn };
};
