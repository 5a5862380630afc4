import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createFieldLookup, type DocumentField, fieldWeightsOf, maxTyposFor } from '../fields.ts';

/**
 * A slot: an index property with the words of a field. Words without a field are searched in many slots at once; where
 * the field is a text, conditions that name it search its slot as well.
 */
export type Slot = {
  /** The name of the property. */
  readonly name: string;
  readonly weight: number;
  readonly typos: 0 | 1 | 2;
  /** The only field whose words the slot holds, if there is only one. */
  readonly onlyField: string | undefined;
};

/**
 * An index property in which misspelled words of several slots are searched. Preparing such a search takes the index
 * longer than most queries do, so there are two of these properties instead of one search for each slot.
 */
type SpellingSlot = {
  readonly name: string;
  /** The least weight of the slots whose words it holds. */
  readonly from: number;
  /** About what these slots together weigh for a word that occurs in one text: a name is a display name as well. */
  readonly weight: number;
};

/** The words of names, and those of what belongs to a record, such as columns. */
export const SPELLING_SLOTS: readonly SpellingSlot[] = [
  { name: 'spellings_names', from: 8, weight: 20 },
  { name: 'spellings_parts', from: 0, weight: 3.5 },
];

/** The typos that they are searched with, at most. Slots that allow fewer are searched on their own. */
export const SPELLING_TYPOS = 2;

/** The name of the property in which misspelled words of a slot are searched, unless it is searched on its own. */
export const spellingSlotOf = ({ typos, weight }: Slot): string | undefined =>
  typos === SPELLING_TYPOS ? SPELLING_SLOTS.find(({ from }) => weight >= from)?.name : undefined;

export type FilledSlot = Slot & {
  /** The paths of the texts that the slot holds. */
  readonly paths: readonly (readonly string[])[];
};

/** The name of the slot for a text's path. */
export const slotNameForPath = (path: readonly string[]): string => `words_${path.join('_')}`;

/** The parts of a fully qualified name share the slot of its words. */
const SHARED_SLOTS: ReadonlyMap<string, readonly string[]> = new Map([['fqnParts', ['fullyQualifiedName']]]);

/** The name of the slot for a field. */
export const slotNameForField = ({ path }: Pick<DocumentField, 'path'>): string =>
  slotNameForPath(SHARED_SLOTS.get(path.join('.')) ?? path);

/** The slots of a kind's documents, with the paths they hold. */
export const slotsOf = memoisePerKind((kind): readonly FilledSlot[] => {
  const fields = createFieldLookup(kind);
  const slots = new Map<string, Slot & { readonly paths: (readonly string[])[] }>();
  for (const [field, weight] of fieldWeightsOf(kind)) {
    const found = fields(field);
    if (!found) continue;
    const name = slotNameForField(found);
    const slot = slots.get(name) ?? {
      name,
      weight,
      typos: maxTyposFor(found, field),
      onlyField: found.class === 'text' ? found.path.join('.') : undefined,
      paths: [],
    };
    slots.set(name, slot);
    slot.paths.push(found.path);
  }
  return [...slots.values()];
});

/** All slots of documents of these kinds, in a fixed order. */
export const slotsOfKinds = (kinds: readonly Kind[]): readonly Slot[] => {
  const slots = new Map(kinds.flatMap((kind) => slotsOf(kind).map((slot) => [slot.name, slot] as const)));
  return [...slots.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
};
