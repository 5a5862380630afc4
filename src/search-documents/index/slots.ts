import { type Kind, memoisePerKind } from '../../model/kind/kind.ts';
import { createFieldLookup, type DocumentField, fieldWeightsOf, maxTyposFor } from '../fields.ts';

/**
 * Words without a field are looked for in many fields at once. Each field has a property of its own in the index; where
 * it is a text, words are found there that name its field as well.
 */
export type Slot = {
  /** The name of the property. */
  readonly name: string;
  readonly weight: number;
  readonly typos: 0 | 1 | 2;
  /** The field whose words are all that the slot holds. */
  readonly onlyField: string | undefined;
};

export type FilledSlot = Slot & {
  /** Where the texts stand that belong into it. */
  readonly paths: readonly (readonly string[])[];
};

/** The slot of a text that has one of its own. */
export const slotNameForPath = (path: readonly string[]): string => `words_${path.join('_')}`;

/** The parts of a full name are words of it. */
const SHARED_SLOTS: ReadonlyMap<string, readonly string[]> = new Map([['fqnParts', ['fullyQualifiedName']]]);

/** The slot of any field that has one. */
export const slotNameForField = ({ path }: Pick<DocumentField, 'path'>): string =>
  slotNameForPath(SHARED_SLOTS.get(path.join('.')) ?? path);

/** The slots of documents of a kind, and what belongs into them. */
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

/** All slots that documents of these kinds have, in an order of their own. */
export const slotsOfKinds = (kinds: readonly Kind[]): readonly Slot[] => {
  const slots = new Map(kinds.flatMap((kind) => slotsOf(kind).map((slot) => [slot.name, slot] as const)));
  return [...slots.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
};
