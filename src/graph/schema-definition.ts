/** Constraints and indexes as the schema defines them, and as the store has them. */

/** The properties that distinguish two of them, except the name. */
type IndexShape = {
  readonly kind: string;
  readonly entityType: 'NODE' | 'RELATIONSHIP';
  readonly labelsOrTypes: readonly string[];
  readonly properties: readonly string[];
  /** Settings of a full-text index. */
  readonly settings: ReadonlyMap<string, string>;
};

export type SchemaDefinition = IndexShape & { readonly name: string };

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

const UNIQUE_CONSTRAINT = 'UNIQUE';

const CREATE_COMMAND =
  /^CREATE (?:(?<constraint>CONSTRAINT)|(?:(?<type>FULLTEXT|TEXT|POINT|RANGE) )?INDEX) (?<name>\w+) IF NOT EXISTS FOR (?:\(\w+:(?<labels>[\w|]+)\)|\(\)-\[\w+:(?<types>[\w|]+)\]-\(\)) (?:REQUIRE|ON(?: EACH)?) (?<properties>[^{}]*?)(?<unique> IS UNIQUE)?(?: OPTIONS \{indexConfig: \{(?<settings>.*)\}\})?$/;

const stripComments = (text: string): string => text.replace(/^\s*\/\/.*$/gm, '');

export const stripStatement = (text: string): string => stripComments(text).replace(/\s+/g, ' ').trim();

const parseIndexSettings = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/`([^`]+)`: ?(?:'([^']*)'|([\w.]+))/g)].map(([, name = '', quoted, bare]) => [
      name,
      quoted ?? bare ?? '',
    ]),
  );

/**
 * Parses what a schema step creates. Answers undefined when it changes data instead. Throws when the step creates
 * something that could not be compared with the store later.
 */
export const parseSchemaDefinition = (step: {
  readonly name: string;
  readonly text: string;
}): SchemaDefinition | undefined => {
  const text = stripStatement(step.text);
  if (!/^CREATE (\w+ )*(INDEX|CONSTRAINT)\b/.test(text)) return undefined;
  const found = CREATE_COMMAND.exec(text)?.groups;
  if (!found || (found['constraint'] === undefined) !== (found['unique'] === undefined)) {
    throw new Error(`the step ${step.name} creates something that cannot be compared with the store: ${text}`);
  }
  return {
    name: found['name'] ?? '',
    kind: found['constraint'] ? UNIQUE_CONSTRAINT : (found['type'] ?? 'RANGE'),
    entityType: found['labels'] ? 'NODE' : 'RELATIONSHIP',
    labelsOrTypes: (found['labels'] ?? found['types'] ?? '').split('|'),
    properties: [...(found['properties'] ?? '').matchAll(/\w+\.(\w+)/g)].map(([, property = '']) => property),
    settings: parseIndexSettings(found['settings'] ?? ''),
  };
};

const hasSameOrder = (some: readonly string[] | null, others: readonly string[]): boolean =>
  some !== null && some.length === others.length && some.every((value, at) => value === others[at]);

/** In a full-text index, the order of labels and properties does not matter. */
const hasSameItems = (some: readonly string[] | null, others: readonly string[]): boolean =>
  some !== null && hasSameOrder([...some].sort(), [...others].sort());

export const matchesDefinition = (stored: StoredIndex, wanted: IndexShape): boolean => {
  const compare = wanted.kind === 'FULLTEXT' ? hasSameItems : hasSameOrder;
  const config = stored.options.indexConfig ?? {};
  return (
    (stored.owningConstraint === null ? stored.type : UNIQUE_CONSTRAINT) === wanted.kind &&
    stored.entityType === wanted.entityType &&
    compare(stored.labelsOrTypes, wanted.labelsOrTypes) &&
    compare(stored.properties, wanted.properties) &&
    [...wanted.settings].every(([name, value]) => String(config[name]) === value)
  );
};

/** Builds the command that drops an index or constraint. Names come from the store, so they are quoted. */
export const dropCommand = ({ name, owningConstraint }: StoredIndex): string =>
  owningConstraint === null
    ? `DROP INDEX \`${name.replaceAll('`', '``')}\` IF EXISTS`
    : `DROP CONSTRAINT \`${owningConstraint.replaceAll('`', '``')}\` IF EXISTS`;
