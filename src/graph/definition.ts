/** Constraints and indexes as the schema wants them, and as the store has them. */

/** Everything by which one of them differs from another, but for its name. */
type Shape = {
  readonly kind: string;
  readonly entityType: 'NODE' | 'RELATIONSHIP';
  readonly labelsOrTypes: readonly string[];
  readonly properties: readonly string[];
  /** Settings of a full-text index. */
  readonly settings: ReadonlyMap<string, string>;
};

export type Definition = Shape & { readonly name: string };

/** An index as the database describes it. */
export type StoredIndex = {
  readonly name: string;
  readonly type: string;
  readonly entityType: string;
  readonly labelsOrTypes: readonly string[] | null;
  readonly properties: readonly string[] | null;
  readonly options: { readonly indexConfig?: Readonly<Record<string, unknown>> };
  readonly owningConstraint: string | null;
  readonly state: string;
  readonly populationPercent: number;
};

const UNIQUE = 'UNIQUE';

const COMMAND =
  /^CREATE (?:(?<constraint>CONSTRAINT)|(?:(?<type>FULLTEXT|TEXT|POINT|RANGE) )?INDEX) (?<name>\w+) IF NOT EXISTS FOR (?:\(\w+:(?<labels>[\w|]+)\)|\(\)-\[\w+:(?<types>[\w|]+)\]-\(\)) (?:REQUIRE|ON(?: EACH)?) (?<properties>[^{}]*?)(?<unique> IS UNIQUE)?(?: OPTIONS \{indexConfig: \{(?<settings>.*)\}\})?$/;

const withoutComments = (text: string): string => text.replace(/^\s*\/\/.*$/gm, '');

export const plainText = (text: string): string => withoutComments(text).replace(/\s+/g, ' ').trim();

const settingsIn = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/`([^`]+)`: ?(?:'([^']*)'|([\w.]+))/g)].map(([, name = '', quoted, bare]) => [
      name,
      quoted ?? bare ?? '',
    ]),
  );

/**
 * What a step of the schema makes; undefined when it makes nothing, because it changes data. Throws when the step makes
 * something that could not be compared with what is there later on.
 */
export const definitionOf = (step: { readonly name: string; readonly text: string }): Definition | undefined => {
  const text = plainText(step.text);
  if (!/^CREATE (\w+ )*(INDEX|CONSTRAINT)\b/.test(text)) return undefined;
  const found = COMMAND.exec(text)?.groups;
  if (!found || (found['constraint'] === undefined) !== (found['unique'] === undefined)) {
    throw new Error(`the step ${step.name} makes something that cannot be compared with what the store has: ${text}`);
  }
  return {
    name: found['name'] ?? '',
    kind: found['constraint'] ? UNIQUE : (found['type'] ?? 'RANGE'),
    entityType: found['labels'] ? 'NODE' : 'RELATIONSHIP',
    labelsOrTypes: (found['labels'] ?? found['types'] ?? '').split('|'),
    properties: [...(found['properties'] ?? '').matchAll(/\w+\.(\w+)/g)].map(([, property = '']) => property),
    settings: settingsIn(found['settings'] ?? ''),
  };
};

const same = (some: readonly string[] | null, others: readonly string[]): boolean =>
  some !== null && some.length === others.length && some.every((value, at) => value === others[at]);

/** A full-text index answers for its labels and properties in any order. */
const sameSet = (some: readonly string[] | null, others: readonly string[]): boolean =>
  some !== null && same([...some].sort(), [...others].sort());

export const isAsDefined = (stored: StoredIndex, wanted: Shape): boolean => {
  const compare = wanted.kind === 'FULLTEXT' ? sameSet : same;
  const config = stored.options.indexConfig ?? {};
  return (
    (stored.owningConstraint === null ? stored.type : UNIQUE) === wanted.kind &&
    stored.entityType === wanted.entityType &&
    compare(stored.labelsOrTypes, wanted.labelsOrTypes) &&
    compare(stored.properties, wanted.properties) &&
    [...wanted.settings].every(([name, value]) => String(config[name]) === value)
  );
};

/** The command that removes something of the store. Names come from the store itself, so that they are quoted. */
export const dropCommand = ({ name, owningConstraint }: StoredIndex): string =>
  owningConstraint === null
    ? `DROP INDEX \`${name.replaceAll('`', '``')}\` IF EXISTS`
    : `DROP CONSTRAINT \`${owningConstraint.replaceAll('`', '``')}\` IF EXISTS`;
