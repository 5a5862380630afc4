import { type NestedParsers, parseExpression } from './parse-expression.ts';
import { parseEdges, parsePattern } from './parse-pattern.ts';
import type {
  Clause,
  Expression,
  Pattern,
  Projection,
  ProjectionItem,
  Query,
  SingleQuery,
  SortItem,
} from './syntax.ts';
import { openTokenReader, type TokenReader } from './token-reader.ts';

/**
 * Parses queries: the part of Cypher that reads. Read `syntax.ts` first, which says what a query consists of; then
 * `tokens.ts` and `token-reader.ts`, and `parse-expression.ts` and `parse-pattern.ts` for what stands in clauses.
 */

const MAX_QUERY_LENGTH = 20_000;

const parsers: NestedParsers = {
  pattern: parseEdges,
  subquery: (reader) => parseSubquery(reader),
};

const readExpression = (reader: TokenReader): Expression => parseExpression(reader, parsers);

const readWhere = (reader: TokenReader): { readonly where?: Expression } =>
  reader.take('WHERE') ? { where: readExpression(reader) } : {};

const readPatterns = (reader: TokenReader): readonly Pattern[] => {
  const patterns: Pattern[] = [];
  do patterns.push(parsePattern(reader, parsers));
  while (reader.takeSign(','));
  return patterns;
};

const readItem = (reader: TokenReader): ProjectionItem => {
  const { place } = reader.peek();
  const value = readExpression(reader);
  const title = reader.text.slice(place, reader.peek().place).trim();
  const alias = reader.take('AS') ? reader.readName('a name') : undefined;
  return { value, title: alias?.name ?? title, ...(alias && { alias }) };
};

const readSortItem = (reader: TokenReader): SortItem => {
  const value = readExpression(reader);
  const isDescending = reader.take('DESC') || reader.take('DESCENDING');
  if (!isDescending && !reader.take('ASC')) reader.take('ASCENDING');
  return { value, isDescending };
};

const readOrder = (reader: TokenReader): readonly SortItem[] => {
  const order: SortItem[] = [];
  if (!reader.take('ORDER', 'BY')) return order;
  do order.push(readSortItem(reader));
  while (reader.takeSign(','));
  return order;
};

const parseProjection = (reader: TokenReader): Projection => {
  const { place } = reader.peek();
  const isDistinct = reader.take('DISTINCT');
  const takesAll = reader.takeSign('*');
  const items: ProjectionItem[] = [];
  if (!takesAll || reader.takeSign(',')) {
    do items.push(readItem(reader));
    while (reader.takeSign(','));
  }
  const order = readOrder(reader);
  const skip = reader.take('SKIP') || reader.take('OFFSET') ? readExpression(reader) : undefined;
  const limit = reader.take('LIMIT') ? readExpression(reader) : undefined;
  return { place, isDistinct, takesAll, items, order, ...(skip && { skip }), ...(limit && { limit }) };
};

const parseMatch = (reader: TokenReader): Clause => {
  const { place } = reader.peek();
  const isOptional = reader.take('OPTIONAL');
  reader.need('MATCH');
  return { is: 'match', place, isOptional, patterns: readPatterns(reader), ...readWhere(reader) };
};

const parseUnwind = (reader: TokenReader): Clause => {
  const { place } = reader.need('UNWIND');
  const list = readExpression(reader);
  reader.need('AS');
  return { is: 'unwind', place, list, item: reader.readName('a name') };
};

/** Parses the clause that comes next; undefined where none begins. */
const takeClause = (reader: TokenReader): Clause | undefined => {
  const { place } = reader.peek();
  if (reader.isAt('MATCH') || reader.isAt('OPTIONAL')) return parseMatch(reader);
  if (reader.isAt('UNWIND')) return parseUnwind(reader);
  if (reader.take('WITH')) return { is: 'with', place, projection: parseProjection(reader), ...readWhere(reader) };
  if (reader.take('RETURN')) return { is: 'return', place, projection: parseProjection(reader) };
  return undefined;
};

/** Parses clauses up to RETURN, or up to what begins none. */
const parseClauses = (reader: TokenReader): SingleQuery => {
  const { place } = reader.peek();
  const clauses: Clause[] = [];
  for (;;) {
    const clause = takeClause(reader);
    if (clause !== undefined) clauses.push(clause);
    if (clause === undefined || clause.is === 'return') return { place, clauses };
  }
};

/** Parses `{MATCH …}`, or `{pattern WHERE condition}`, which means the same. */
const parseSubquery = (reader: TokenReader): SingleQuery =>
  reader.nest(() => {
    const { place } = reader.needSign('{');
    const startsPattern = reader.isAtSign('(') || reader.isAtSign('=', 1);
    const query: SingleQuery = startsPattern
      ? {
          place,
          clauses: [{ is: 'match', place, isOptional: false, patterns: readPatterns(reader), ...readWhere(reader) }],
        }
      : parseClauses(reader);
    if (query.clauses.length === 0) throw reader.unexpected('MATCH');
    reader.needSign('}');
    return query;
  });

const parsePart = (reader: TokenReader): SingleQuery => {
  const part = parseClauses(reader);
  if (part.clauses.at(-1)?.is !== 'return') throw reader.unexpected(part.clauses.length === 0 ? 'MATCH' : 'RETURN');
  return part;
};

/** Parses a query. Throws bad_request with the place of what it may not have. */
export const parseGraphQuery = (text: string): Query => {
  const reader = openTokenReader(text.slice(0, MAX_QUERY_LENGTH + 1));
  if (text.length > MAX_QUERY_LENGTH)
    throw reader.fault(`a query has at most ${MAX_QUERY_LENGTH} characters`, MAX_QUERY_LENGTH);
  const parts = [parsePart(reader)];
  const kinds = new Set<boolean>();
  while (reader.take('UNION')) {
    const { place } = reader.peek();
    kinds.add(reader.take('ALL'));
    if (kinds.size > 1) throw reader.fault('UNION and UNION ALL may not stand in one query', place);
    parts.push(parsePart(reader));
  }
  reader.takeSign(';');
  if (reader.peek().kind !== 'end') throw reader.unexpected('the end of the query');
  return { parts, keepsDuplicates: kinds.has(true) };
};
