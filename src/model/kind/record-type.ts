/**
 * The types of records. Every declaration registers its own type, so that the rules of the model know all types without
 * importing the declarations, which import the model.
 */

const types: string[] = [];
const canonicalTypes = new Map<string, string>();

/** Adds the type of a declaration. */
export const registerRecordType = (entityType: string): void => {
  if (canonicalTypes.has(entityType.toLowerCase())) return;
  canonicalTypes.set(entityType.toLowerCase(), entityType);
  // Declarations are imported in no certain order.
  types.push(entityType);
  types.sort();
};

/** Lists every declared type of record in alphabetical order, in the contract's spelling. */
export const listRecordTypes = (): readonly string[] => types;

/** Parses a type of record and answers the contract's spelling. Clients write `eventSubscription` too. */
export const parseRecordType = (text: string): string | undefined => canonicalTypes.get(text.toLowerCase());
