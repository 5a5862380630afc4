import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { everyProperty, type PropertyRead } from './columns-in.ts';
import { sameText, spoken } from './parts.ts';
import { at } from './problem.ts';
import type { Selected } from './select.ts';
import { objectsOf } from './walk.ts';

/** Quality rules of a document as a contract keeps them (odcs.md 5). */

/** Where the rules of one list stand: beside the document's other roots, with the object, or with a column. */
export type Home = 'root' | 'object' | { readonly column: string };

export type RuleRead = {
  /** The rule as the contract keeps it. */
  readonly rule: JsonObject;
  /** The rule as the document has it. */
  readonly source: JsonObject;
  readonly home: Home;
  readonly path: string;
};

/** A rule as records hold it: implementations are text there. */
const kept = (rule: JsonObject, column: string | undefined): JsonObject => {
  const { implementation } = rule;
  return {
    ...rule,
    ...(isObject(implementation) && { implementation: JSON.stringify(implementation) }),
    ...(column !== undefined && { column }),
  };
};

const listed = (list: Json | undefined, home: Home, path: string): readonly RuleRead[] => {
  const column = typeof home === 'string' ? undefined : home.column;
  return objectsOf(list).map((source, index) => ({
    rule: kept(source, column),
    source,
    home,
    path: at(at(path, 'quality'), index),
  }));
};

/** All rules of the selected part of a document, the widest first. */
export const readRules = (
  document: JsonObject,
  selected: Selected,
  read: readonly PropertyRead[],
): readonly RuleRead[] => [
  ...listed(document['quality'], 'root', ''),
  ...listed(selected.object?.['quality'], 'object', selected.path),
  ...[...everyProperty(read)].flatMap(({ property, key, path }) => listed(property['quality'], { column: key }, path)),
];

/** The column a kept rule is about. Some name the object itself there, which means none unless a column has its name. */
export const columnOf = (
  rule: JsonObject,
  objectNames: readonly (string | undefined)[],
  isColumn: (name: string) => boolean,
): string | undefined => {
  const column = spoken(rule['column']);
  if (column === undefined || isColumn(column)) return column;
  return objectNames.some((name) => sameText(column, name)) ? undefined : column;
};
