import type { Expression, Loop } from '../language/syntax.ts';
import { faultAt, newName, type QueryScope, type Writing, withVariable } from './scope.ts';
import { listOfType, NUMBER, type QueryType, TRUTH, type Written } from './value-type.ts';
import { writeMatch } from './write-match.ts';

/**
 * Writes what is done for each entry of a list. The database does not look at the time while it computes an expression,
 * so loops become subqueries, whose rows it can end between.
 */

type Body = {
  readonly text: string;
  readonly inner: QueryScope;
  readonly item: string;
  readonly list: Written;
  readonly isSafe: boolean;
};

/** A list that a subquery collects has no last entry for the database, unless it is made anew. */
const collectRows = (rows: string): string => `[it IN COLLECT { ${rows} } | it]`;

const inLoop = <T>(writing: Writing, write: () => T): T => {
  writing.loops += 1;
  try {
    return write();
  } finally {
    writing.loops -= 1;
  }
};

const itemType = (writing: Writing, loop: Loop, list: Written): QueryType => {
  if (list.type.is === 'list') return list.type.of;
  if (list.type.is === 'plain' || list.type.is === 'nothing') return { is: 'plain' };
  throw faultAt(writing, loop.list.place, `this is not a list but a ${list.type.is}`);
};

/** Writes `UNWIND list AS item WITH item WHERE condition`. */
const openLoop = (writing: Writing, scope: QueryScope, loop: Loop): Body => {
  const list = writing.translate.expression(writing, scope, loop.list);
  const item = newName(writing);
  const inner = withVariable(scope, loop.item.name, {
    text: item,
    type: itemType(writing, loop, list),
    size: list.size,
  });
  const where = loop.where && writing.translate.expression(writing, inner, loop.where);
  const filter = where === undefined ? '' : ` WITH ${item} WHERE ${where.text}`;
  return {
    text: `UNWIND ${list.text} AS ${item}${filter}`,
    inner,
    item,
    list,
    isSafe: list.type.is === 'list' && list.isSafe && (where?.isSafe ?? true),
  };
};

const writeComprehension = (
  writing: Writing,
  scope: QueryScope,
  expression: Extract<Expression, { is: 'comprehension' }>,
): Written =>
  inLoop(writing, () => {
    const { text, inner, item, list, isSafe } = openLoop(writing, scope, expression.loop);
    const entry = newName(writing);
    const result = expression.result
      ? writing.translate.expression(writing, inner, expression.result)
      : { text: item, type: itemType(writing, expression.loop, list), size: list.size, isSafe: true };
    return {
      text: collectRows(`${text} RETURN ${result.text} AS ${entry}`),
      type: listOfType(result.type),
      // A list of lists can be as long as both lengths multiplied.
      size: result.type.is === 'list' ? list.size * result.size : Math.max(list.size, result.size),
      isSafe: isSafe && result.isSafe,
    };
  });

/** Writes `all(x IN list WHERE condition)` as a test of the list of what the condition says of each entry. */
const writeQuantifier = (
  writing: Writing,
  scope: QueryScope,
  { word, loop, place }: Extract<Expression, { is: 'quantifier' }>,
): Written =>
  inLoop(writing, () => {
    const { where, ...every } = loop;
    if (where === undefined) throw faultAt(writing, place, `${word}() needs a WHERE`);
    const { text, inner } = openLoop(writing, scope, every);
    const condition = writing.translate.expression(writing, inner, where);
    const [entry, truth] = [newName(writing), newName(writing)];
    const list = `COLLECT { ${text} RETURN ${condition.text} AS ${entry} }`;
    return { text: `${word}(${truth} IN ${list} WHERE ${truth})`, type: TRUTH, size: 1, isSafe: false };
  });

/** Parts of expressions that take no longer for long lists, so that many of them in a row end soon. */
const LIGHT: ReadonlySet<Expression['is']> = new Set([
  'literal',
  'parameter',
  'variable',
  'property',
  'binary',
  'unary',
  'isNull',
  'case',
]);

const LIGHT_CALLS: ReadonlySet<string> = new Set([
  'size',
  'char_length',
  'coalesce',
  'abs',
  'tointeger',
  'tofloat',
  'round',
]);

const isLight = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.every(isLight);
  if (typeof value !== 'object' || value === null) return true;
  const part = value as { readonly is?: Expression['is']; readonly sign?: string; readonly name?: string };
  const isLightCall = part.is === 'call' && LIGHT_CALLS.has(part.name?.toLowerCase() ?? '');
  if (part.is !== undefined && !LIGHT.has(part.is) && !isLightCall) return false;
  return part.sign !== 'IN' && Object.values(value).every(isLight);
};

const writeReduce = (writing: Writing, scope: QueryScope, expression: Extract<Expression, { is: 'reduce' }>): Written =>
  inLoop(writing, () => {
    const { sum, initial, loop, step, place } = expression;
    if (!isLight(step)) throw faultAt(writing, step.place, 'what reduce() does for each entry is plain arithmetic');
    const list = writing.translate.expression(writing, scope, loop.list);
    const first = writing.translate.expression(writing, scope, initial);
    const [total, item] = [newName(writing), newName(writing)];
    const withItem = withVariable(scope, loop.item.name, {
      text: item,
      type: itemType(writing, loop, list),
      size: list.size,
    });
    const inner = withVariable(withItem, sum.name, { text: total, type: first.type, size: 1 });
    const next = writing.translate.expression(writing, inner, step);
    if (first.type.is !== 'number' || (next.type.is !== 'number' && next.type.is !== 'plain') || next.size > 1)
      throw faultAt(writing, place, 'reduce() sums up numbers here; its first value is a number');
    return {
      text: `reduce(${total} = ${first.text}, ${item} IN ${list.text} | toFloat(${next.text}))`,
      type: NUMBER,
      size: 1,
      isSafe: false,
    };
  });

const writePatternList = (
  writing: Writing,
  scope: QueryScope,
  expression: Extract<Expression, { is: 'patternList' }>,
): Written =>
  inLoop(writing, () => {
    const { pattern, where, result, place } = expression;
    const found = writeMatch(
      writing,
      { ...scope, guards: [] },
      { is: 'match', place, isOptional: false, patterns: [pattern], ...(where && { where }) },
    );
    const written = writing.translate.expression(writing, found.scope, result);
    return {
      text: collectRows(`${found.text} RETURN ${written.text} AS ${newName(writing)}`),
      type: listOfType(written.type),
      size: written.size,
      isSafe: found.isSafe && written.isSafe,
    };
  });

export const writeLoop = (writing: Writing, scope: QueryScope, expression: Expression): Written => {
  switch (expression.is) {
    case 'comprehension':
      return writeComprehension(writing, scope, expression);
    case 'quantifier':
      return writeQuantifier(writing, scope, expression);
    case 'reduce':
      return writeReduce(writing, scope, expression);
    case 'patternList':
      return writePatternList(writing, scope, expression);
    default:
      throw new Error(`${expression.is} is no loop`);
  }
};
