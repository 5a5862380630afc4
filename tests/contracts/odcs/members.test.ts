import * as assert from 'node:assert/strict';
import {
  isInRange,
  type LeafType,
  type MemberShape,
  membersOf,
  type ObjectShape,
  type ValueShape,
} from '../../../src/contracts/odcs/versions/member-shapes.ts';
import { DOCUMENT } from '../../../src/contracts/odcs/versions/shape.ts';
import { isVersion2, type OdcsVersion } from '../../../src/contracts/odcs/versions/version.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';
import { missing, schemaText, WITH_SCHEMA } from './official.ts';

/** Shows that the table of members has what the official schemas define, in every version and with the same types. */

const test = suite('contracts/odcs: table of members');

type Types = ReadonlySet<string>;

const ANY = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'];

/** The types that the standard gives the values of a leaf, all or some of which a schema may name. */
const TYPES_OF_LEAF: Readonly<Record<LeafType, readonly string[]>> = {
  text: ['string'],
  id: ['string'],
  number: ['number', 'integer'],
  integer: ['integer'],
  count: ['integer'],
  positive: ['number', 'integer'],
  names: ['array'],
  flag: ['boolean'],
  scalar: ['string', 'number', 'integer', 'boolean', 'null'],
  json: ANY,
  map: ['object'],
  approvers: ['string'],
  texts: ['array'],
  spokenFlag: ['boolean', 'string'],
  spokenNumber: ['number', 'integer', 'string'],
  lines: ['string', 'array'],
};

/** Leaves that take more than a schema says, because documents contain more or something else decides about it. */
const TOLERANT: ReadonlySet<LeafType> = new Set(['json', 'scalar', 'spokenFlag', 'spokenNumber', 'lines']);

type Defined = {
  readonly types: Types;
  readonly isTolerant?: boolean;
  readonly children: () => ReadonlyMap<string, Defined>;
};

const isOneOf = (type: string, types: Types): boolean => types.has(type) || (type === 'integer' && types.has('number'));

const NONE: ReadonlyMap<string, Defined> = new Map();

/** The members of a document as the table defines them in a version. */
const inTable = (shape: ValueShape, version: OdcsVersion): Defined => {
  if ('leaf' in shape) {
    const { leaf } = shape;
    return { types: new Set(TYPES_OF_LEAF[leaf]), isTolerant: TOLERANT.has(leaf), children: () => NONE };
  }
  if ('listOrObject' in shape) {
    const both = shape.listOrObject.map((one) => inTable(one, version));
    return {
      types: new Set(both.flatMap(({ types }) => [...types])),
      isTolerant: true,
      children: () => new Map(both.flatMap(({ children }) => [...children()])),
    };
  }
  if ('list' in shape) return { types: new Set(['array']), children: inTable(shape.list(), version).children };
  const members = (object: ObjectShape): readonly (readonly [string, Defined])[] =>
    Object.entries(membersOf(object, version))
      .filter(([, member]: readonly [string, MemberShape]) => isVersion2(version) || isInRange(version, member))
      .map(([name, member]) => [name, inTable(member.shape, version)]);
  // An item of the schema is an object here. Columns alone are another catalog's.
  const object = shape.object({ logicalType: 'object' });
  const types = new Set(object.sole === undefined ? ['object'] : ['object', 'string']);
  return { types, isTolerant: true, children: () => new Map(members(object)) };
};

/** The schemas that apply to a value together or as alternatives. */
const PARTS = ['allOf', 'anyOf', 'oneOf'] as const;

/** The members of a document as an official schema defines them. */
const inSchema = (whole: JsonObject, starts: readonly Json[]): Defined => {
  const nodes = new Set<JsonObject>();
  const add = (node: Json | undefined): void => {
    if (node === undefined || !isObject(node) || nodes.has(node)) return;
    nodes.add(node);
    const { $ref: ref, then, else: otherwise } = node;
    if (typeof ref === 'string') {
      const path = ref.replace(/^#\//, '').split('/');
      add(path.reduce<Json>((value, name) => (isObject(value) ? (value[name] ?? null) : null), whole));
    }
    add(then);
    add(otherwise);
    for (const part of PARTS) for (const one of isArray(node[part] ?? null) ? (node[part] as Json[]) : []) add(one);
  };
  starts.forEach(add);
  const typesOf = ({ type = [] }: JsonObject): readonly string[] => [type].flat() as string[];
  const types = new Set([...nodes].flatMap(typesOf));
  const children = (): ReadonlyMap<string, Defined> => {
    const items = [...nodes].flatMap((node) => (node['items'] === undefined ? [] : [node['items']]));
    const own = new Map<string, Json[]>();
    for (const { properties = {} } of nodes) {
      for (const [name, schema] of Object.entries(properties as JsonObject)) {
        own.set(name, [...(own.get(name) ?? []), schema]);
      }
    }
    const below = items.length > 0 ? inSchema(whole, items).children() : NONE;
    return new Map([...below, ...[...own].map(([name, all]) => [name, inSchema(whole, all)] as const)]);
  };
  return { types, children };
};

/** Deeper than this, members repeat: columns inside columns inside columns. */
const MAX_DEPTH = 8;
/** Members that contain what contains them. */
const RECURSIVE = new Set(['properties', 'items', 'map', 'key', 'value']);

const compare = (table: Defined, schema: Defined, path: readonly string[], found: string[]): void => {
  const [ours, theirs] = [table.children(), schema.children()];
  if (theirs.size === 0) return;
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    const here = [...path, name];
    const [own, official] = [ours.get(name), theirs.get(name)];
    if (!official) found.push(`${here.join('.')} is not in the schema`);
    else if (!own) found.push(`${here.join('.')} is not in the table`);
    else {
      const isMissing = [...official.types].some((type) => !own.types.has(type));
      const isMore = !own.isTolerant && [...own.types].some((type) => !isOneOf(type, official.types));
      if (official.types.size > 0 && (isMissing || isMore)) {
        found.push(`${here.join('.')} is ${[...official.types]} in the schema and ${[...own.types]} in the table`);
      }
      const repeats = path.filter((one) => RECURSIVE.has(one)).length;
      if (here.length < MAX_DEPTH && repeats < 3) compare(own, official, here, found);
    }
  }
};

const SINCE_3: readonly OdcsVersion[] = WITH_SCHEMA.filter((version) => !isVersion2(version));
const UNTIL_2: readonly OdcsVersion[] = WITH_SCHEMA.filter(isVersion2);

/** Where the table differs from the schemas on purpose: pattern, why, versions. */
const DELIBERATE: readonly (readonly [RegExp, string, readonly OdcsVersion[]])[] = [
  [/\bquality\.(validValues|column) is not in the schema$/, 'documents of 3.x contain them', SINCE_3],
  [/^servers\.staging_dir is not in the schema$/, 'the text of the standard names it', ['v3.0.0', 'v3.0.1']],
  [/^(username|password) is not in the table$/, 'secrets are removed before', UNTIL_2],
  [/^(standardVersion|templateName) is not in the schema$/, '2.2.0 has them, and no schema', UNTIL_2],
  [/^dataset\.tables is not in the schema$/, 'documents wrap tables', UNTIL_2],
  [/\.(isPrimary|primary|nullable) is not in the schema$/, 'documents spell them so', UNTIL_2],
  [/^(schedulerAppName|systemInstance|datasetProject) is not in the schema$/, 'examples of the releases', UNTIL_2],
  [/^(customProperties|contractCreatedTs) is not in the schema$/, 'examples of the releases', UNTIL_2],
  [/^(stakeholders\.comment|roles\.description) is not in the schema$/, 'examples of the releases', UNTIL_2],
  [
    /^dataset\.(tags|customProperties|columns\.(customProperties|quality)) is not in the schema$/,
    'examples of the releases',
    UNTIL_2,
  ],
];

if (missing) test.skipped('the table defines what the official schemas define', missing);
else {
  const used = new Set<RegExp>();
  for (const version of WITH_SCHEMA) {
    test(`the table defines what the official schema of ${version} defines`, () => {
      const whole = JSON.parse(schemaText(version)) as JsonObject;
      const found: string[] = [];
      compare(inTable({ object: () => DOCUMENT }, version), inSchema(whole, [whole]), [], found);
      const rest = found.filter((difference) => {
        const known = DELIBERATE.find(
          ([pattern, , versions]) => versions.includes(version) && pattern.test(difference),
        );
        if (known) used.add(known[0]);
        return known === undefined;
      });
      assert.deepEqual(rest, []);
    });
  }

  test('every deliberate difference exists', () => {
    assert.deepEqual(
      DELIBERATE.filter(([pattern]) => !used.has(pattern)).map(([pattern]) => pattern),
      [],
    );
  });

  test('a member that the table lacks or adds would be found', () => {
    const whole = JSON.parse(schemaText('v3.2.0')) as JsonObject;
    const { context: _, ...others } = DOCUMENT.members;
    const changed = {
      ...DOCUMENT,
      members: { ...others, tenant: { shape: { leaf: 'flag' } }, mine: others['tenant'] },
    };
    const found: string[] = [];
    compare(inTable({ object: () => changed as ObjectShape }, 'v3.2.0'), inSchema(whole, [whole]), [], found);
    for (const expected of [
      'context is not in the table',
      'mine is not in the schema',
      'tenant is string in the schema and boolean in the table',
    ]) {
      assert.ok(found.includes(expected), `${expected}: ${found}`);
    }
  });
}

test.run();
