import { type NestedParsers, parseExpression, parseLabelChoice, parseMapEntries } from './parse-expression.ts';
import type { EdgePattern, MapEntry, Named, NodePattern, Pattern } from './syntax.ts';
import type { TokenReader } from './token-reader.ts';

/** Parses patterns of nodes and edges. */

const readProperties = (reader: TokenReader, parsers: NestedParsers): readonly MapEntry[] =>
  reader.isAtSign('{') ? parseMapEntries(reader, parsers) : [];

/** A name that begins a pattern of one node or edge, unless WHERE comes at once. */
const readVariable = (reader: TokenReader): Named | undefined =>
  reader.peek().kind === 'word' && !reader.isAt('WHERE') ? reader.readName('a variable') : undefined;

const parseNode = (reader: TokenReader, parsers: NestedParsers): NodePattern => {
  const { place } = reader.needSign('(');
  const variable = readVariable(reader);
  const labels = reader.takeSign(':') ? parseLabelChoice(reader) : [];
  const properties = readProperties(reader, parsers);
  const where = reader.take('WHERE') ? parseExpression(reader, parsers) : undefined;
  reader.needSign(')');
  return { place, labels, properties, ...(variable && { variable }), ...(where && { where }) };
};

/** The largest number of edges that a pattern may follow in a row. */
const MAX_LENGTH = 20;

const readLength = (reader: TokenReader): number | undefined => {
  const { kind, value } = reader.peek();
  if (kind !== 'number') return undefined;
  if (!/^\d{1,9}$/.test(value)) throw reader.fault('a number of edges is a whole number');
  reader.next();
  return Number(value);
};

type Length = NonNullable<EdgePattern['length']>;

const checkLength = (reader: TokenReader, place: number, least: number, most: number | undefined): Length => {
  if (most === undefined || most > MAX_LENGTH)
    throw reader.fault(`how many edges to follow must be bounded by at most ${MAX_LENGTH}, such as *1..5`, place);
  if (least > most || most === 0) throw reader.fault(`from ${least} to ${most} edges are none`, place);
  return { least, most };
};

/** Parses `*1..5` inside the brackets of an edge. */
const parseStar = (reader: TokenReader): Length | undefined => {
  const { place } = reader.peek();
  if (!reader.takeSign('*')) return undefined;
  const least = readLength(reader);
  if (!reader.takeSign('..')) return checkLength(reader, place, least ?? 1, least);
  return checkLength(reader, place, least ?? 1, readLength(reader));
};

/** Parses `{1,5}` behind an edge. */
const parseBraces = (reader: TokenReader): Length | undefined => {
  const { place } = reader.peek();
  if (reader.isAtSign('+') || reader.isAtSign('*')) return checkLength(reader, place, 0, undefined);
  if (!reader.takeSign('{')) return undefined;
  const least = readLength(reader);
  const most = reader.takeSign(',') ? readLength(reader) : least;
  reader.needSign('}');
  return checkLength(reader, place, least ?? 0, most);
};

const readTypes = (reader: TokenReader): readonly Named[] => {
  const types: Named[] = [];
  if (!reader.takeSign(':')) return types;
  do {
    reader.takeSign(':');
    types.push(reader.readName('the type of an edge'));
  } while (reader.takeSign('|'));
  return types;
};

type EdgeBody = Omit<EdgePattern, 'place' | 'direction'>;

const parseEdgeBody = (reader: TokenReader, parsers: NestedParsers): EdgeBody => {
  if (!reader.takeSign('[')) return { types: [], properties: [] };
  const variable = readVariable(reader);
  const types = readTypes(reader);
  const length = parseStar(reader);
  const properties = readProperties(reader, parsers);
  const where = reader.take('WHERE') ? parseExpression(reader, parsers) : undefined;
  reader.needSign(']');
  return { types, properties, ...(variable && { variable }), ...(length && { length }), ...(where && { where }) };
};

const parseEdge = (reader: TokenReader, parsers: NestedParsers): EdgePattern => {
  const { place } = reader.peek();
  const isIn = reader.takeSign('<-');
  if (!isIn) reader.needSign('-');
  const body = parseEdgeBody(reader, parsers);
  const isOut = reader.takeSign('->');
  if (!isOut) reader.needSign('-');
  const length = parseBraces(reader) ?? body.length;
  if (length && body.where) throw reader.fault('an edge that is followed several times has no WHERE', place);
  const direction = isIn === isOut ? 'both' : isIn ? 'in' : 'out';
  return { ...body, place, direction, ...(length && { length }) };
};

const isAtEdge = (reader: TokenReader): boolean => reader.isAtSign('-') || reader.isAtSign('<-');

export const parsePattern = (reader: TokenReader, parsers: NestedParsers): Pattern => {
  const hasName = reader.peek().kind === 'word' && reader.isAtSign('=', 1);
  const path = hasName ? reader.readName('the name of a path') : undefined;
  if (path) reader.needSign('=');
  if (reader.peek().kind === 'word')
    throw reader.fault(`${reader.peek().value} is not allowed; a pattern begins with (`);
  const start = parseNode(reader, parsers);
  const steps: Pattern['steps'][number][] = [];
  while (isAtEdge(reader)) {
    const edge = parseEdge(reader, parsers);
    steps.push({ edge, node: parseNode(reader, parsers) });
  }
  return { start, steps, ...(path && { path }) };
};

/** Parses a pattern inside an expression, where a node alone would be a value in parentheses. */
export const parseEdges = (reader: TokenReader, parsers: NestedParsers): Pattern => {
  const pattern = parsePattern(reader, parsers);
  if (pattern.steps.length === 0) throw reader.unexpected('an edge');
  return pattern;
};
