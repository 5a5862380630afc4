import { isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { normaliseFqn } from '../../model/name.ts';
import { readItems, writeItems } from './item-list.ts';

/**
 * Labels in cells (csv.md 4): the labels of a record are split over the fields for tags, terms and tiers. Labels that
 * no field shows are kept, whatever the cells contain.
 */

export const LABEL_CELLS = ['tags', 'glossaryTerms', 'tiers'] as const;
export type LabelCell = (typeof LABEL_CELLS)[number];

const GLOSSARY_SOURCE = 'Glossary';
const CLASSIFICATION_SOURCE = 'Classification';

const TIER_PREFIX = 'Tier.';

const tagFqnOf = (label: JsonObject): string => member(label, 'tagFQN') as string;

/** The source of the labels in a field. */
export const labelSourceOfCell = (cell: LabelCell): string =>
  cell === 'glossaryTerms' ? GLOSSARY_SOURCE : CLASSIFICATION_SOURCE;

/** The field that shows a label. Derived labels and the certification are in none. */
const labelCellOf = (label: JsonObject, certification: string | undefined): LabelCell | undefined => {
  if (member(label, 'labelType') === 'Derived') return undefined;
  if (member(label, 'source') === GLOSSARY_SOURCE) return 'glossaryTerms';
  if (tagFqnOf(label).startsWith(TIER_PREFIX)) return 'tiers';
  return tagFqnOf(label) === certification ? undefined : 'tags';
};

/** Labels by the field that shows them. */
export type LabelsByCell = Readonly<Record<LabelCell | 'hidden', readonly JsonObject[]>>;

/** Groups labels by the field that shows them. */
export const groupLabelsByCell = (labels: Json | undefined, certification: string | undefined): LabelsByCell => {
  const spread: Record<LabelCell | 'hidden', JsonObject[]> = { tags: [], glossaryTerms: [], tiers: [], hidden: [] };
  for (const label of (labels ?? []) as readonly Json[]) {
    if (isObject(label)) spread[labelCellOf(label, certification) ?? 'hidden'].push(label);
  }
  return spread;
};

/** Writes labels as a cell. */
export const writeLabelCell = (labels: readonly JsonObject[]): string => writeItems(labels.map(tagFqnOf));

/** Reads the label names of a cell. */
export const readLabelCell = (cell: string): readonly string[] => [...new Set(readItems(cell).map(normaliseFqn))];
