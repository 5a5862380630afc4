import { isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { normaliseFqn } from '../../model/name.ts';
import { readItems, writeItems } from './items.ts';

/**
 * Labels in cells (csv.md 4): one list of a record is spread over the columns of tags, terms and tiers. What none of them
 * shows stays with the record, whatever they say.
 */

export const LABEL_CELLS = ['tags', 'glossaryTerms', 'tiers'] as const;
export type LabelCell = (typeof LABEL_CELLS)[number];

const GLOSSARY = 'Glossary';
const CLASSIFICATION = 'Classification';

const TIER = 'Tier.';

const fqnOf = (label: JsonObject): string => member(label, 'tagFQN') as string;

/** The source that the labels of a cell have. */
export const sourceOfCell = (cell: LabelCell): string => (cell === 'glossaryTerms' ? GLOSSARY : CLASSIFICATION);

/** The column that a label is shown in. Those that were only handed down, and the certification, are in none. */
const cellOf = (label: JsonObject, certification: string | undefined): LabelCell | undefined => {
  if (member(label, 'labelType') === 'Derived') return undefined;
  if (member(label, 'source') === GLOSSARY) return 'glossaryTerms';
  if (fqnOf(label).startsWith(TIER)) return 'tiers';
  return fqnOf(label) === certification ? undefined : 'tags';
};

/** The labels of a list by the columns that show them. */
export type SpreadLabels = Readonly<Record<LabelCell | 'hidden', readonly JsonObject[]>>;

/** A list of labels as its columns show it. */
export const spreadLabels = (labels: Json | undefined, certification: string | undefined): SpreadLabels => {
  const spread: Record<LabelCell | 'hidden', JsonObject[]> = { tags: [], glossaryTerms: [], tiers: [], hidden: [] };
  for (const label of (labels ?? []) as readonly Json[]) {
    if (isObject(label)) spread[cellOf(label, certification) ?? 'hidden'].push(label);
  }
  return spread;
};

/** Labels as a cell. */
export const writeLabels = (labels: readonly JsonObject[]): string => writeItems(labels.map(fqnOf));

/** The names that a cell of labels has. */
export const readLabels = (cell: string): readonly string[] => [...new Set(readItems(cell).map(normaliseFqn))];
