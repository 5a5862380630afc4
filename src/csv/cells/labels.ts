import { isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { normaliseFqn } from '../../model/name.ts';
import { readItems, writeItems } from './item-list.ts';

/**
 * Labels in cells (csv.md 4): one list of a record is spread over the columns of tags, terms and tiers. What none of them
 * shows stays with the record, whatever they say.
 */

export const LABEL_CELLS = ['tags', 'glossaryTerms', 'tiers'] as const;
export type LabelCell = (typeof LABEL_CELLS)[number];

const GLOSSARY_SOURCE = 'Glossary';
const CLASSIFICATION_SOURCE = 'Classification';

const TIER_PREFIX = 'Tier.';

const tagFqnOf = (label: JsonObject): string => member(label, 'tagFQN') as string;

/** The source that the labels of a cell have. */
export const labelSourceOfCell = (cell: LabelCell): string =>
  cell === 'glossaryTerms' ? GLOSSARY_SOURCE : CLASSIFICATION_SOURCE;

/** The column that a label is shown in. Those that were only handed down, and the certification, are in none. */
const labelCellOf = (label: JsonObject, certification: string | undefined): LabelCell | undefined => {
  if (member(label, 'labelType') === 'Derived') return undefined;
  if (member(label, 'source') === GLOSSARY_SOURCE) return 'glossaryTerms';
  if (tagFqnOf(label).startsWith(TIER_PREFIX)) return 'tiers';
  return tagFqnOf(label) === certification ? undefined : 'tags';
};

/** The labels of a list by the columns that show them. */
export type LabelsByCell = Readonly<Record<LabelCell | 'hidden', readonly JsonObject[]>>;

/** A list of labels as its columns show it. */
export const groupLabelsByCell = (labels: Json | undefined, certification: string | undefined): LabelsByCell => {
  const spread: Record<LabelCell | 'hidden', JsonObject[]> = { tags: [], glossaryTerms: [], tiers: [], hidden: [] };
  for (const label of (labels ?? []) as readonly Json[]) {
    if (isObject(label)) spread[labelCellOf(label, certification) ?? 'hidden'].push(label);
  }
  return spread;
};

/** Labels as a cell. */
export const writeLabelCell = (labels: readonly JsonObject[]): string => writeItems(labels.map(tagFqnOf));

/** The names that a cell of labels has. */
export const readLabelCell = (cell: string): readonly string[] => [...new Set(readItems(cell).map(normaliseFqn))];
