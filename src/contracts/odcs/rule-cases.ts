import type { JsonObject } from '../../model/json.ts';
import { isLongerThan, MAX_NAME_LENGTH } from '../../model/name.ts';
import { nonBlankText, omitEmpty } from './parts.ts';
import { ruleColumnOf } from './quality-in.ts';
import { type RuleMeaning, type RuleTestMeaning, ruleMeaningOf } from './rule-tests.ts';
import { type ColumnPathFinder, createColumnPathFinder, type ImportTarget } from './target.ts';

/** Converts quality rules of a contract to test cases of its table (odcs.md 5). */

/** A test case that a rule asks for. */
export type RuleTest = {
  readonly name: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly testDefinition: string;
  readonly column?: string;
  readonly parameterValues: readonly { readonly name: string; readonly value: string }[];
};

export type RuleCase = {
  readonly rule: JsonObject;
  /** The path of the rule's column. */
  readonly column?: string;
  /** The path of the same column in the table's spelling, if the table has it. */
  readonly tableColumn?: string;
  readonly meaning: RuleMeaning;
  readonly test?: RuleTest;
};

/** Characters that the name of a test case must not contain. */
const FORBIDDEN_CHARACTERS = /::|[>"\p{Cc}\p{Cs}]/u;

const isUsableName = (name: string | undefined): name is string =>
  name !== undefined &&
  !FORBIDDEN_CHARACTERS.test(name) &&
  !isLongerThan(name, MAX_NAME_LENGTH) &&
  name.trim() === name;

const MAX_SLUG = 120;

/** The maximum number of characters of a text that are read for a name, which is cut much earlier. */
const MAX_READ = 2_000;

const slugOf = (text: string | undefined): string | undefined => {
  const words = (text ?? '')
    .slice(0, MAX_READ)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_');
  const slug = [...words.replace(/^_|_$/g, '')].slice(0, MAX_SLUG).join('');
  return slug === '' ? undefined : `odcs_${slug}`;
};

const preferredName = (rule: JsonObject, tested: RuleTestMeaning): string => {
  const given = [nonBlankText(rule['id']), tested.name].find(isUsableName);
  const texts = [rule['name'], rule['metric'], rule['rule'], rule['type']].map((value) => slugOf(nonBlankText(value)));
  return given ?? texts.find((slug) => slug !== undefined) ?? 'odcs_rule';
};

/** Names in use, each with the last number assigned to it. */
type TakenNames = Map<string, number>;

/** Finds a free name by numbering further tests of the same target. */
const findFreeName = (name: string, target: string, taken: TakenNames): string => {
  const keyOf = (text: string) => `${target}\u0001${text.toLowerCase()}`;
  let free = name;
  let number = taken.get(keyOf(name)) ?? 0;
  for (; taken.has(keyOf(free)); number += 1) free = `${name}_${number + 1}`;
  taken.set(keyOf(name), Math.max(number, 1));
  taken.set(keyOf(free), taken.get(keyOf(free)) ?? 1);
  return free;
};

const descriptionOf = (rule: JsonObject): string | undefined => {
  const [description, impact] = [nonBlankText(rule['description']), nonBlankText(rule['businessImpact'])];
  const parts = [description, impact && `Business impact: ${impact}`].filter((part) => part !== undefined);
  return nonBlankText(parts.join('\n\n'));
};

const buildRuleTest = (
  rule: JsonObject,
  tested: RuleTestMeaning,
  column: string | undefined,
  taken: TakenNames,
): RuleTest => {
  const displayName = nonBlankText(rule['name']);
  const description = descriptionOf(rule);
  const target = tested.isOfColumn ? column : undefined;
  return {
    name: findFreeName(preferredName(rule, tested), target ?? '', taken),
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    testDefinition: tested.testDefinition,
    ...(target !== undefined && { column: target }),
    parameterValues: Object.entries(tested.parameters).map(([name, value]) => ({ name, value })),
  };
};

const findMeaning = (rule: JsonObject, column: string | undefined, found: ColumnPathFinder, target: ImportTarget) => {
  const known = column === undefined ? undefined : found(column)?.key;
  if (column !== undefined && known === undefined) {
    return { meaning: { reason: `The table has no column ${column}` }, known };
  }
  return { meaning: ruleMeaningOf(rule, { ...(known !== undefined && { column: known }), table: target.name }), known };
};

/**
 * Interprets each rule of a contract and builds the equivalent tests. Names depend only on the rules, so that the
 * same rules always ask for the same tests.
 */
export const buildRuleCases = (
  rules: readonly JsonObject[],
  target: ImportTarget,
  objectName: string | undefined,
): readonly RuleCase[] => {
  const found = createColumnPathFinder(target.columns);
  const taken: TakenNames = new Map();
  return rules.map((rule) => {
    const column = ruleColumnOf(rule, [objectName, target.name], (name) => found(name) !== undefined);
    const { meaning, known } = findMeaning(rule, column, found, target);
    return {
      rule,
      ...(column !== undefined && { column }),
      ...(known !== undefined && { tableColumn: known }),
      meaning,
      ...('testDefinition' in meaning && { test: buildRuleTest(rule, meaning, known, taken) }),
    };
  });
};

type RuleOutcome = {
  readonly outcome: 'testCase' | 'sla' | 'notExecuted';
  readonly testDefinition?: string;
  readonly testCaseName?: string;
  readonly reason?: string;
};

/** Builds the line of the import report for a rule. */
export const toReportLine = ({ rule, column }: RuleCase, outcome: RuleOutcome): JsonObject =>
  omitEmpty({ name: nonBlankText(rule['name']) ?? nonBlankText(rule['id']), column, ...outcome });
