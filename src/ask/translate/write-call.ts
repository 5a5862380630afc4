import type { Expression } from '../language/syntax.ts';
import { FUNCTION_NAMES, QUERY_FUNCTIONS, type QueryFunction } from './functions.ts';
import { requirePlain, wholeProperties, writeLabelNames } from './graph-values.ts';
import { bindValue, faultAt, givenParameter, type QueryScope, unknownName, type Writing } from './scope.ts';
import type { QueryType, Written } from './value-type.ts';

/** Writes calls of functions. */

type Call = Extract<Expression, { is: 'call' }>;

const MAX_RANGE = 10_000n;

/** What the functions that look into the graph take. */
const TAKEN: ReadonlyMap<string, readonly QueryType['is'][]> = new Map([
  ['nodes', ['path']],
  ['relationships', ['path']],
  ['length', ['path']],
  ['labels', ['node']],
  ['type', ['edge']],
  ['startNode', ['edge']],
  ['endNode', ['edge']],
  ['properties', ['node', 'edge', 'map']],
  ['head', ['list', 'plain']],
  ['last', ['list', 'plain']],
  ['tail', ['list', 'plain']],
  ['reverse', ['list', 'plain']],
  ['size', ['list', 'plain']],
  ['isEmpty', ['list', 'plain', 'map']],
]);

const checkArguments = (writing: Writing, call: Call, known: QueryFunction, args: readonly Written[]): void => {
  const taken = TAKEN.get(known.name);
  const [first] = args;
  if (taken && first && first.type.is !== 'nothing' && !taken.includes(first.type.is))
    throw faultAt(writing, call.place, `${known.name}() takes ${taken.join(' or ')}, not ${first.type.is}`);
  if (known.takesGraph) return;
  args.forEach(({ type }, at) => {
    requirePlain(writing, call.args[at]?.place ?? call.place, `${known.name}()`, type);
  });
};

/**
 * A range is made at once and whole. Where it would be too long, the statement divides by zero, which is how a statement
 * can fail of its own accord.
 */
const writeRange = (writing: Writing, [from, to, step]: readonly Written[]): string => {
  const [most, zero] = [bindValue(writing, MAX_RANGE), bindValue(writing, 0n)];
  const by = step === undefined ? '' : `, ${step.text}`;
  const length = step === undefined ? `${to?.text} - ${from?.text}` : `(${to?.text} - ${from?.text}) / ${step.text}`;
  return `range(${from?.text}, CASE WHEN ${length} > ${most} THEN 1 / ${zero} ELSE ${to?.text} END${by})`;
};

const constantText = (writing: Writing, expression: Expression | undefined): string | undefined => {
  if (expression?.is === 'literal') return String(expression.value ?? '');
  return expression?.is === 'parameter' ? String(givenParameter(writing, expression) ?? '') : undefined;
};

/** How much longer replacing may make a text. */
const growthOf = (writing: Writing, call: Call, known: QueryFunction): number => {
  if (known.name !== 'replace') return 1;
  const text = constantText(writing, call.args[2]);
  if (text === undefined) throw faultAt(writing, call.place, 'what replace() puts in is a text or a parameter');
  return Math.max(1, text.length);
};

const writeForm = (writing: Writing, known: QueryFunction, args: readonly Written[], isDistinct: boolean): string => {
  const [first] = args;
  const text = first?.text ?? '';
  if (known.name === 'range') return writeRange(writing, args);
  if (known.name === 'labels') return writeLabelNames(writing, text);
  if (known.name === 'properties' && first?.type.is !== 'map' && first?.type.is !== 'nothing')
    return `${text}{${wholeProperties(writing, first?.type ?? { is: 'nothing' })
      .map((name) => `.${name}`)
      .join(', ')}}`;
  return `${known.name}(${isDistinct ? 'DISTINCT ' : ''}${args.map((one) => one.text).join(', ')})`;
};

/** Functions that answer whatever they are given. */
const SAFE: ReadonlySet<string> = new Set([
  'coalesce',
  'labels',
  'type',
  'startNode',
  'endNode',
  'nodes',
  'relationships',
  'length',
]);

const requireFunction = (writing: Writing, call: Call): QueryFunction => {
  const { name, place, args, isDistinct } = call;
  const known = QUERY_FUNCTIONS.get(name.toLowerCase());
  if (known === undefined) throw unknownName(writing, { name, place }, 'function', FUNCTION_NAMES);
  if (args.length < known.least || args.length > known.most) {
    const count = known.least === known.most ? known.least : `${known.least} to ${known.most}`;
    throw faultAt(writing, place, `${known.name}() takes ${count} arguments, not ${args.length}`);
  }
  if (isDistinct && !known.isAggregate) throw faultAt(writing, place, `${known.name}() knows no DISTINCT`);
  if (known.isAggregate && writing.loops > 0)
    throw faultAt(writing, place, `${known.name}() cannot stand in a list; give its result a name by WITH first`);
  return known;
};

export const writeCall = (writing: Writing, scope: QueryScope, call: Call): Written => {
  const known = requireFunction(writing, call);
  const args = call.args.map((one) => writing.translate.expression(writing, scope, one));
  checkArguments(writing, call, known, args);
  const type = known.answer(args.map((one) => one.type));
  if (type === undefined) throw faultAt(writing, call.place, `${known.name}() takes either nodes or values`);
  const size = Math.max(1, ...args.map((one) => one.size)) * growthOf(writing, call, known);
  const isSafe = SAFE.has(known.name) && args.every((one) => one.isSafe);
  return { text: writeForm(writing, known, args, call.isDistinct), type, size, isSafe };
};
