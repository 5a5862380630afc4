import type { Choice } from '../api/pick.ts';
import type { Schemas } from '../api/types.ts';

/** Labels as the editors of tags and of the tier see them: both edit parts of one list. */

export type Label = Schemas['TagLabel'];

const TIER = 'Tier.';

export const isTier = ({ tagFQN }: Pick<Label, 'tagFQN'>): boolean => tagFQN.startsWith(TIER);

export const tierOf = (labels: readonly Label[] | undefined): string => labels?.find(isTier)?.tagFQN ?? '';

export const labelKey = ({ source, tagFQN }: Pick<Label, 'source' | 'tagFQN'>): string => `${source} ${tagFQN}`;

/** Labels that follow from others are not taken away by hand. */
export const isByHand = ({ labelType }: Pick<Label, 'labelType'>): boolean =>
  labelType === 'Manual' || labelType === 'Automated' || labelType === 'Generated';

export const labelOf = ({ type, fqn, name }: Choice): Label => ({
  tagFQN: fqn,
  name,
  source: type === 'glossaryTerm' ? 'Glossary' : 'Classification',
  labelType: 'Manual',
  state: 'Confirmed',
});

export const choiceOf = ({ tagFQN, source }: Label): Choice => ({
  id: `${source} ${tagFQN}`,
  type: source === 'Glossary' ? 'glossaryTerm' : 'tag',
  name: tagFQN,
  fqn: tagFQN,
});

/** The label without what describes the tag, which the service adds by itself. */
export const sentLabel = ({ tagFQN, source, labelType, state }: Label) => ({ tagFQN, source, labelType, state });
