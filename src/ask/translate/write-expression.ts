import type { Expression } from '../language/syntax.ts';
import { requirePlain, typeOfProperty, wholeProperties, writeProperty } from './graph-values.ts';
import { bindValue, faultAt, findVariable, givenParameter, type QueryScope, type Writing } from './scope.ts';
import {
  hasGraphValue,
  joinTypes,
  listOfType,
  NOTHING,
  NUMBER,
  PLAIN,
  type QueryType,
  TRUTH,
  type Written,
} from './value-type.ts';
import { hasOneOf } from './visible-nodes.ts';
import { writeCall } from './write-call.ts';
import { chooseLabels } from './write-match.ts';

/** Writes expressions. Values become parameters, and names are those that the statement gives to variables. */

type Part<Is extends Expression['is']> = Extract<Expression, { is: Is }>;

/** Texts and lists that are put together from more than this could need all memory. */
const MAX_SIZE = 50;

const checkSize = (writing: Writing, place: number, written: Written): Written => {
  if (written.size > MAX_SIZE) throw faultAt(writing, place, 'this puts together more than a query may');
  return written;
};

/** Hands a value of the caller to the statement: whole numbers as such, which JSON does not tell apart. */
export const toStatementValue = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toStatementValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toStatementValue(one)]));
};

const typeOfValue = (value: unknown): QueryType => {
  if (value === null) return NOTHING;
  if (typeof value === 'number') return NUMBER;
  if (typeof value === 'boolean') return TRUTH;
  return Array.isArray(value) ? listOfType(PLAIN) : PLAIN;
};

const writeLiteral = (writing: Writing, { value, isInteger }: Part<'literal'>): Written => {
  const type = typeOfValue(value);
  if (value === null || typeof value === 'boolean') return { text: String(value), type, size: 1, isSafe: true };
  const bound = isInteger ? BigInt(value) : value;
  return { text: bindValue(writing, bound), type, size: 1, isSafe: true, isShort: true };
};

const writeParameter = (writing: Writing, part: Part<'parameter'>): Written => {
  const value = givenParameter(writing, part);
  return { text: bindValue(writing, toStatementValue(value)), type: typeOfValue(value), size: 1, isSafe: true };
};

/** Names from the query that reach the statement: nothing in them can end them. */
const PLAIN_KEY = /^[\p{L}_][\p{L}\p{N}_]{0,99}$/u;

const writeKey = (writing: Writing, { name, place }: { name: string; place: number }): string => {
  if (!PLAIN_KEY.test(name)) throw faultAt(writing, place, 'a key consists of letters, digits and _');
  return `\`${name}\``;
};

const writePropertyOf = (writing: Writing, scope: QueryScope, { of, key }: Part<'property'>): Written => {
  const owner = writing.translate.expression(writing, scope, of);
  const { type, size, isSafe, text } = owner;
  if (type.is === 'node' || type.is === 'edge') {
    return {
      text: `(${writeProperty(writing, text, type, key)})`,
      type: typeOfProperty(writing, type, key.name),
      size: 1,
      isSafe,
    };
  }
  if (type.is === 'map') {
    const member = type.members.get(key.name) ?? NOTHING;
    return { text: `${text}.${writeKey(writing, key)}`, type: member, size, isSafe };
  }
  if (type.is !== 'plain' && type.is !== 'nothing') throw faultAt(writing, key.place, `a ${type.is} has no properties`);
  return { text: `${text}.${writeKey(writing, key)}`, type: PLAIN, size, isSafe: false };
};

const writeElement = (writing: Writing, scope: QueryScope, { of, at, place }: Part<'element'>): Written => {
  const [list, index] = [of, at].map((one) => writing.translate.expression(writing, scope, one)) as [Written, Written];
  const { type, size } = list;
  if (type.is !== 'list' && hasGraphValue(type)) throw faultAt(writing, place, 'name the property behind a dot');
  requirePlain(writing, at.place, 'an index', index.type);
  const of_ = type.is === 'list' ? type.of : PLAIN;
  return { text: `${list.text}[${index.text}]`, type: of_, size, isSafe: false };
};

const writeSlice = (writing: Writing, scope: QueryScope, { of, from, to, place }: Part<'slice'>): Written => {
  const list = writing.translate.expression(writing, scope, of);
  if (list.type.is !== 'list' && hasGraphValue(list.type)) throw faultAt(writing, place, 'this is not a list');
  const [first, last] = [from, to].map((one) => (one ? writing.translate.expression(writing, scope, one).text : ''));
  return { text: `${list.text}[${first}..${last}]`, type: list.type, size: list.size, isSafe: false };
};

/** Numbers and truths are short, and so is what the query itself spells out: only the rest can be long together. */
const sumSizes = (all: readonly Written[]): number =>
  Math.max(
    1,
    all.reduce(
      (sum, { size, type, isShort }) => sum + (isShort || type.is === 'number' || type.is === 'truth' ? 0 : size),
      0,
    ),
  );
const areSafe = (all: readonly Written[]): boolean => all.every(({ isSafe }) => isSafe);

const writeList = (writing: Writing, scope: QueryScope, { items, place }: Part<'list'>): Written => {
  const all = items.map((one) => writing.translate.expression(writing, scope, one));
  const of = all.reduce<QueryType | undefined>((known, { type }) => known && joinTypes(known, type), NOTHING);
  if (of === undefined) throw faultAt(writing, place, 'a list holds either nodes or values');
  const entry = of.is === 'nothing' ? PLAIN : of;
  return {
    text: `[${all.map(({ text }) => text).join(', ')}]`,
    type: listOfType(entry),
    size: sumSizes(all),
    isSafe: areSafe(all),
  };
};

const writeMap = (writing: Writing, scope: QueryScope, { entries }: Part<'map'>): Written => {
  const all = entries.map(({ key, value }) => ({ key, written: writing.translate.expression(writing, scope, value) }));
  const written = all.map((one) => one.written);
  const members = new Map(all.map(({ key, written: one }) => [key.name, one.type]));
  return {
    text: `{${all.map(({ key, written: one }) => `${writeKey(writing, key)}: ${one.text}`).join(', ')}}`,
    type: { is: 'map', members },
    size: sumSizes(written),
    isSafe: areSafe(written),
  };
};

type ProjectedEntry = readonly [key: string, written: Written];

/** What `.*` stands for. */
const namesOfAll = (writing: Writing, type: QueryType): readonly string[] =>
  type.is === 'map' ? [...type.members.keys()] : wholeProperties(writing, type);

const projectEntries = (
  writing: Writing,
  scope: QueryScope,
  { of, entries }: Part<'projection'>,
): readonly ProjectedEntry[] => {
  const { type } = writing.translate.expression(writing, scope, of);
  return entries.flatMap((entry): readonly ProjectedEntry[] => {
    if (entry.take === 'value')
      return [[writeKey(writing, entry.key), writing.translate.expression(writing, scope, entry.value)]];
    const names =
      entry.take === 'property' ? [entry.key] : namesOfAll(writing, type).map((name) => ({ name, place: entry.place }));
    return names.map((key) => [
      writeKey(writing, key),
      writePropertyOf(writing, scope, { is: 'property', place: of.place, of, key }),
    ]);
  });
};

const writeProjection = (writing: Writing, scope: QueryScope, part: Part<'projection'>): Written => {
  const { text, type } = writing.translate.expression(writing, scope, part.of);
  if (type.is !== 'node' && type.is !== 'edge' && type.is !== 'map')
    throw faultAt(writing, part.place, 'only nodes, edges and maps have properties to choose');
  const all = projectEntries(writing, scope, part);
  const written = all.map(([, one]) => one);
  const members = new Map(all.map(([key, one]) => [key.slice(1, -1), one.type]));
  const entries = all.map(([key, one]) => `${key}: ${one.text}`).join(', ');
  return {
    text: `CASE WHEN ${text} IS NULL THEN null ELSE {${entries}} END`,
    type: { is: 'map', members },
    size: sumSizes(written),
    isSafe: areSafe(written),
  };
};

const LOGIC = new Set(['AND', 'OR', 'XOR']);
const EQUALITY = new Set(['=', '<>']);
const ORDERING = new Set(['<', '<=', '>', '>=', 'STARTS WITH', 'ENDS WITH', 'CONTAINS']);

const isTruth = ({ type }: Written): boolean => type.is === 'truth' || type.is === 'nothing';

const writeTest = (writing: Writing, { sign, place }: Part<'binary'>, left: Written, right: Written): Written => {
  const both = [left, right];
  if (ORDERING.has(sign)) for (const { type } of both) requirePlain(writing, place, sign, type);
  const isSafe =
    areSafe(both) &&
    (LOGIC.has(sign) ? both.every(isTruth) : sign !== 'IN' || right.type.is === 'list' || right.type.is === 'nothing');
  return { text: `(${left.text} ${sign} ${right.text})`, type: TRUTH, size: 1, isSafe };
};

const typeOfSum = (writing: Writing, place: number, { type: left }: Written, { type: right }: Written): QueryType => {
  const [entry, other] = [left.is === 'list' ? left.of : left, right.is === 'list' ? right.of : right];
  if (left.is === 'list' || right.is === 'list') {
    const of = joinTypes(entry, other);
    if (of === undefined) throw faultAt(writing, place, 'a list holds either nodes or values');
    return listOfType(of);
  }
  for (const type of [left, right]) requirePlain(writing, place, '+', type);
  return left.is === 'number' && right.is === 'number' ? NUMBER : PLAIN;
};

const writeBinary = (writing: Writing, scope: QueryScope, part: Part<'binary'>): Written => {
  const { sign, place } = part;
  const [left, right] = [part.left, part.right].map((one) => writing.translate.expression(writing, scope, one)) as [
    Written,
    Written,
  ];
  if (LOGIC.has(sign) || EQUALITY.has(sign) || ORDERING.has(sign) || sign === 'IN')
    return writeTest(writing, part, left, right);
  const text = `(${left.text} ${sign} ${right.text})`;
  if (sign === '+') {
    const type = typeOfSum(writing, place, left, right);
    return { text, type, size: type.is === 'number' ? 1 : left.size + right.size, isSafe: false };
  }
  for (const { type } of [left, right]) requirePlain(writing, place, sign, type);
  const isNumber = left.type.is === 'number' && right.type.is === 'number';
  return { text, type: isNumber ? NUMBER : PLAIN, size: 1, isSafe: false };
};

const writeUnary = (writing: Writing, scope: QueryScope, { sign, of }: Part<'unary'>): Written => {
  const written = writing.translate.expression(writing, scope, of);
  requirePlain(writing, of.place, sign, written.type);
  if (sign === 'NOT')
    return { text: `(NOT ${written.text})`, type: TRUTH, size: 1, isSafe: written.isSafe && isTruth(written) };
  return {
    text: `(${sign}${written.text})`,
    type: written.type,
    size: 1,
    isSafe: written.isSafe && of.is === 'literal',
  };
};

const writeHasLabel = (writing: Writing, scope: QueryScope, { of, labels, place }: Part<'hasLabel'>): Written => {
  const { text, type, isSafe } = writing.translate.expression(writing, scope, of);
  if (type.is !== 'node') throw faultAt(writing, place, 'only nodes have labels');
  const chosen = chooseLabels(writing, labels) ?? [];
  return {
    text: chosen.length === 0 ? 'false' : `(${hasOneOf(text, chosen)})`,
    type: TRUTH,
    size: 1,
    isSafe,
  };
};

const writeCase = (
  writing: Writing,
  scope: QueryScope,
  { subject, branches, otherwise, place }: Part<'case'>,
): Written => {
  const write = (one: Expression) => writing.translate.expression(writing, scope, one);
  const of = subject && write(subject);
  const all = branches.map(({ when, result }) => ({ when: write(when), result: write(result) }));
  const last = otherwise && write(otherwise);
  const results = [...all.map(({ result }) => result), ...(last ? [last] : [])];
  const type = results.reduce<QueryType | undefined>((known, one) => known && joinTypes(known, one.type), NOTHING);
  if (type === undefined) throw faultAt(writing, place, 'CASE answers either nodes or values');
  const text = all.map(({ when, result }) => `WHEN ${when.text} THEN ${result.text}`).join(' ');
  const whens = all.map(({ when }) => when);
  return {
    text: `CASE ${of ? `${of.text} ` : ''}${text}${last ? ` ELSE ${last.text}` : ''} END`,
    type,
    size: Math.max(...results.map(({ size }) => size)),
    isSafe: areSafe([...results, ...whens, ...(of ? [of] : [])]) && (of !== undefined || whens.every(isTruth)),
  };
};

const writeSubqueryValue = (writing: Writing, scope: QueryScope, { word, query }: Part<'subquery'>): Written => {
  const { text, isSafe } = writing.translate.subquery(writing, { ...scope, guards: [] }, query);
  return { text: `${word} { ${text} }`, type: word === 'COUNT' ? NUMBER : TRUTH, size: 1, isSafe };
};

const writePart = (writing: Writing, scope: QueryScope, part: Expression): Written => {
  switch (part.is) {
    case 'literal':
      return writeLiteral(writing, part);
    case 'parameter':
      return writeParameter(writing, part);
    case 'variable':
      return { ...findVariable(writing, scope, part), isSafe: true };
    case 'property':
      return writePropertyOf(writing, scope, part);
    case 'element':
      return writeElement(writing, scope, part);
    case 'slice':
      return writeSlice(writing, scope, part);
    case 'call':
      return writeCall(writing, scope, part);
    case 'countAll':
      if (writing.loops > 0) throw faultAt(writing, part.place, 'count(*) cannot stand in a list');
      return { text: 'count(*)', type: NUMBER, size: 1, isSafe: false };
    case 'list':
      return writeList(writing, scope, part);
    case 'map':
      return writeMap(writing, scope, part);
    case 'projection':
      return writeProjection(writing, scope, part);
    case 'binary':
      return writeBinary(writing, scope, part);
    case 'unary':
      return writeUnary(writing, scope, part);
    case 'isNull': {
      const { text, isSafe } = writing.translate.expression(writing, scope, part.of);
      return { text: `(${text} IS ${part.isNegated ? 'NOT ' : ''}NULL)`, type: TRUTH, size: 1, isSafe };
    }
    case 'hasLabel':
      return writeHasLabel(writing, scope, part);
    case 'case':
      return writeCase(writing, scope, part);
    case 'subquery':
      return writeSubqueryValue(writing, scope, part);
    default:
      return writing.translate.loop(writing, scope, part);
  }
};

/** Text that grows with every repetition of a part could itself become too long. */
const MAX_STATEMENT = 400_000;

export const writeExpression = (writing: Writing, scope: QueryScope, part: Expression): Written => {
  const written = checkSize(writing, part.place, writePart(writing, scope, part));
  if (written.text.length > MAX_STATEMENT) throw faultAt(writing, part.place, 'the query is too complex');
  return written;
};
