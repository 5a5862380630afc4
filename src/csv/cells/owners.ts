import { isObject, type Json, member } from '../../model/json.ts';
import { CellError } from './cell-error.ts';
import { readItems, splitParts, writeItems } from './item-list.ts';

/** Owners and domains in cells (csv.md 4). Inherited ones are not written. */

/** An owner that a cell names. */
export type NamedOwner = { readonly type: string; readonly fqn: string };

type OwnReference = { readonly type: string; readonly name: string; readonly fullyQualifiedName: string };

/** References of a document that are not inherited. */
export const listOwnReferences = (refs: Json | undefined): readonly OwnReference[] =>
  ((refs ?? []) as readonly Json[]).filter(
    (ref) => isObject(ref) && member(ref, 'inherited') !== true,
  ) as OwnReference[];

/** Writes the owners of a document as a cell. */
export const writeOwnerCell = (refs: Json | undefined): string =>
  writeItems(listOwnReferences(refs).map(({ type, name }) => `${type}:${name}`));

const OWNER_TYPES: readonly string[] = ['user', 'team'];

const OWNER_FORMAT = 'an owner must be written as user:name or team:name';

const readOwner = (item: string): NamedOwner => {
  const colon = item.indexOf(':');
  const [type, name] = [item.slice(0, colon).trim(), item.slice(colon + 1).trim()];
  if (colon < 0 || !OWNER_TYPES.includes(type) || name === '') throw new CellError(`${OWNER_FORMAT}, not ${item}`);
  return { type, fqn: name };
};

/** Reads the single owner of older files, which separate its type with a semicolon. */
const readLegacyOwner = (cell: string): NamedOwner | undefined => {
  const [type = '', name = '', ...others] = splitParts(cell, ';');
  const isLegacy = others.length === 0 && OWNER_TYPES.includes(type) && name !== '';
  return isLegacy ? { type, fqn: name } : undefined;
};

/** Reads the owners that a cell names. */
export const readOwnerCell = (cell: string): readonly NamedOwner[] => {
  const legacy = readLegacyOwner(cell);
  return legacy ? [legacy] : readItems(cell).map(readOwner);
};
