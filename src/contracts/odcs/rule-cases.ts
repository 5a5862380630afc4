import type { JsonObject } from '../../model/json.ts';
import { isLongerThan, MAX_NAME_LENGTH } from '../../model/name.ts';
import { compact, spoken } from './parts.ts';
import { columnOf } from './quality-in.ts';
import { type Meaning, meaningOf, type Tested } from './rule-tests.ts';
import { type ColumnFinder, columnFinder, type Target } from './target.ts';

/** Quality rules of a contract as test cases of its table (odcs.md 5). */

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
  /** The path of the column the rule is about. */
  readonly column?: string;
  /** The same column as the table spells it, if it has it. */
  readonly tableColumn?: string;
  readonly meaning: Meaning;
  readonly test?: RuleTest;
};

/** Characters that no name of a test case may hold. */
const FORBIDDEN = /::|[>"\p{Cc}\p{Cs}]/u;

const isUsable = (name: string | undefined): name is string =>
  name !== undefined && !FORBIDDEN.test(name) && !isLongerThan(name, MAX_NAME_LENGTH) && name.trim() === name;

const LONGEST_SLUG = 120;

/** More of a text is not looked at: a name is cut long before. */
const LONGEST_READ = 2_000;

const slugOf = (text: string | undefined): string | undefined => {
  const words = (text ?? '')
    .slice(0, LONGEST_READ)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_');
  const slug = [...words.replace(/^_|_$/g, '')].slice(0, LONGEST_SLUG).join('');
  return slug === '' ? undefined : `odcs_${slug}`;
};

const wishedName = (rule: JsonObject, tested: Tested): string => {
  const given = [spoken(rule['id']), tested.name].find(isUsable);
  const texts = [rule['name'], rule['metric'], rule['rule'], rule['type']].map((value) => slugOf(spoken(value)));
  return given ?? texts.find((slug) => slug !== undefined) ?? 'odcs_rule';
};

/** Names that are taken, each with the number that was given out last for it. */
type Taken = Map<string, number>;

/** The first free name: a second test of the same target is numbered. */
const freeName = (name: string, target: string, taken: Taken): string => {
  const keyOf = (text: string) => `${target}\u0001${text.toLowerCase()}`;
  let free = name;
  let number = taken.get(keyOf(name)) ?? 0;
  for (; taken.has(keyOf(free)); number += 1) free = `${name}_${number + 1}`;
  taken.set(keyOf(name), Math.max(number, 1));
  taken.set(keyOf(free), taken.get(keyOf(free)) ?? 1);
  return free;
};

const descriptionOf = (rule: JsonObject): string | undefined => {
  const [description, impact] = [spoken(rule['description']), spoken(rule['businessImpact'])];
  const parts = [description, impact && `Business impact: ${impact}`].filter((part) => part !== undefined);
  return spoken(parts.join('\n\n'));
};

const testOf = (rule: JsonObject, tested: Tested, column: string | undefined, taken: Taken): RuleTest => {
  const displayName = spoken(rule['name']);
  const description = descriptionOf(rule);
  const target = tested.isOfColumn ? column : undefined;
  return {
    name: freeName(wishedName(rule, tested), target ?? '', taken),
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    testDefinition: tested.testDefinition,
    ...(target !== undefined && { column: target }),
    parameterValues: Object.entries(tested.parameters).map(([name, value]) => ({ name, value })),
  };
};

const meaningFor = (rule: JsonObject, column: string | undefined, found: ColumnFinder, target: Target) => {
  const known = column === undefined ? undefined : found(column)?.key;
  if (column !== undefined && known === undefined) {
    return { meaning: { reason: `The table has no column ${column}` }, known };
  }
  return { meaning: meaningOf(rule, { ...(known !== undefined && { column: known }), table: target.name }), known };
};

/**
 * What each rule of a contract means for its table, with the test that says the same. Names depend on the rules alone,
 * so that the same rules always ask for the same tests.
 */
export const ruleCases = (
  rules: readonly JsonObject[],
  target: Target,
  objectName: string | undefined,
): readonly RuleCase[] => {
  const found = columnFinder(target.columns);
  const taken: Taken = new Map();
  return rules.map((rule) => {
    const column = columnOf(rule, [objectName, target.name], (name) => found(name) !== undefined);
    const { meaning, known } = meaningFor(rule, column, found, target);
    return {
      rule,
      ...(column !== undefined && { column }),
      ...(known !== undefined && { tableColumn: known }),
      meaning,
      ...('testDefinition' in meaning && { test: testOf(rule, meaning, known, taken) }),
    };
  });
};

type Reported = {
  readonly outcome: 'testCase' | 'sla' | 'notExecuted';
  readonly testDefinition?: string;
  readonly testCaseName?: string;
  readonly reason?: string;
};

/** One line of the report on an import. */
export const reported = ({ rule, column }: RuleCase, said: Reported): JsonObject =>
  compact({ name: spoken(rule['name']) ?? spoken(rule['id']), column, ...said });
