import { isObject, type Json, member } from '../../model/json.ts';
import { CellFault } from './fault.ts';
import { readItems, splitParts, writeItems } from './items.ts';

/** Owners and domains in cells (csv.md 4): only what a record has of itself is written. */

/** Whoever a cell names. */
export type NamedOwner = { readonly type: string; readonly fqn: string };

type Shown = { readonly type: string; readonly name: string; readonly fullyQualifiedName: string };

/** References of a document that are the record's own. */
export const ownRefs = (refs: Json | undefined): readonly Shown[] =>
  ((refs ?? []) as readonly Json[]).filter((ref) => isObject(ref) && member(ref, 'inherited') !== true) as Shown[];

/** Owners of a document as a cell. */
export const writeOwners = (refs: Json | undefined): string =>
  writeItems(ownRefs(refs).map(({ type, name }) => `${type}:${name}`));

const TYPES: readonly string[] = ['user', 'team'];

const FORMAT = 'an owner must be written as user:name or team:name';

const readOwner = (item: string): NamedOwner => {
  const colon = item.indexOf(':');
  const [type, name] = [item.slice(0, colon).trim(), item.slice(colon + 1).trim()];
  if (colon < 0 || !TYPES.includes(type) || name === '') throw new CellFault(`${FORMAT}, not ${item}`);
  return { type, fqn: name };
};

/** Files of old have one owner, with its type in front as if it were another. */
const readLegacy = (cell: string): NamedOwner | undefined => {
  const [type = '', name = '', ...others] = splitParts(cell, ';');
  const isLegacy = others.length === 0 && TYPES.includes(type) && name !== '';
  return isLegacy ? { type, fqn: name } : undefined;
};

/** The owners that a cell names. */
export const readOwners = (cell: string): readonly NamedOwner[] => {
  const legacy = readLegacy(cell);
  return legacy ? [legacy] : readItems(cell).map(readOwner);
};
