import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { type ImportedProperty, walkProperties } from './columns-in.ts';
import { isSameText, nonBlankText } from './parts.ts';
import { joinPath } from './problem.ts';
import type { SelectedObject } from './select.ts';
import { jsonObjects } from './walk.ts';

/** Reads quality rules of a document as the contract stores them (odcs.md 5). */

/** The list that contains a rule: at the root, of the object, or of a column. */
export type RuleLocation = 'root' | 'object' | { readonly column: string };

export type ImportedRule = {
  /** The rule as the contract stores it. */
  readonly rule: JsonObject;
  /** The rule as the document contains it. */
  readonly source: JsonObject;
  readonly home: RuleLocation;
  readonly path: string;
};

/** Builds the stored form of a rule, in which the implementation is text. */
const toStoredRule = (rule: JsonObject, column: string | undefined): JsonObject => {
  const { implementation } = rule;
  return {
    ...rule,
    ...(isObject(implementation) && { implementation: JSON.stringify(implementation) }),
    ...(column !== undefined && { column }),
  };
};

const readRuleList = (list: Json | undefined, home: RuleLocation, path: string): readonly ImportedRule[] => {
  const column = typeof home === 'string' ? undefined : home.column;
  return jsonObjects(list).map((source, index) => ({
    rule: toStoredRule(source, column),
    source,
    home,
    path: joinPath(joinPath(path, 'quality'), index),
  }));
};

/** Reads all rules of the selected part of a document: root, object, then columns. */
export const readQualityRules = (
  document: JsonObject,
  selected: SelectedObject,
  read: readonly ImportedProperty[],
): readonly ImportedRule[] => [
  ...readRuleList(document['quality'], 'root', ''),
  ...readRuleList(selected.object?.['quality'], 'object', selected.path),
  ...[...walkProperties(read)].flatMap(({ property, key, path }) =>
    readRuleList(property['quality'], { column: key }, path),
  ),
];

/**
 * The column of a stored rule. Some rules name the object there, which means no column unless a column has that name.
 */
export const ruleColumnOf = (
  rule: JsonObject,
  objectNames: readonly (string | undefined)[],
  isColumn: (name: string) => boolean,
): string | undefined => {
  const column = nonBlankText(rule['column']);
  if (column === undefined || isColumn(column)) return column;
  return objectNames.some((name) => isSameText(column, name)) ? undefined : column;
};
