import { type ConcurrencyLimiter, createConcurrencyLimiter } from '../access/concurrency-limiter.ts';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { canSeeEverything } from '../catalog/read/facts.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { hasExhaustedMemory, hasTimedOut, isClientFailure } from '../graph/database-failure.ts';
import type { Json } from '../model/json.ts';
import { parseGraphQuery } from './language/parse-query.ts';
import { type JudgedRights, judgeQuery } from './query-rights.ts';
import { renderQueryValue } from './render-value.ts';
import { bindVisibleNodes, SEES_ALL } from './translate/visible-nodes.ts';
import { type QueryStatement, writeQuery } from './translate/write-query.ts';
import { buildGraphView, type GraphView } from './view.ts';

/**
 * Answers queries. A query is parsed (`language/`), the caller's rights to what it may meet are judged
 * (`query-rights.ts`), and a statement is written for it that cannot meet anything else (`translate/`).
 */

export type GraphQuestion = {
  readonly query: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly limit: number;
  readonly timeoutMs: number;
  readonly includeDeleted: boolean;
};

export type GraphAnswer = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Json[])[];
  readonly truncated: boolean;
  readonly tookMs: number;
};

export type QueryRunner = {
  readonly view: GraphView;
  readonly answer: (principal: Principal, question: GraphQuestion, signal: AbortSignal) => Promise<GraphAnswer>;
  /** Throws bad_request for a query that could not run. Answers the names of its parameters. */
  readonly check: (query: string, parameters: Readonly<Record<string, unknown>>) => ReadonlySet<string>;
};

/** Queries that run at once, and those that wait for them: each may keep a processor busy for as long as it runs. */
const QUERIES_AT_ONCE = 2;
const MAX_WAITING = 20;

/** An answer ends at this length even when fewer rows than the limit were read. */
const MAX_ANSWER_CHARACTERS = 16 * 1024 * 1024;

type Question = GraphQuestion & { readonly view: GraphView };

const write = (
  { query: text, parameters, limit, includeDeleted, view }: Question,
  rights: Omit<JudgedRights, 'seen'>,
): QueryStatement =>
  writeQuery({
    text,
    query: parseGraphQuery(text),
    given: parameters,
    view,
    visible: bindVisibleNodes(view, rights, includeDeleted),
    most: limit + 1,
  });

/** The first pass tells what the query may meet; where something of that may be hidden, a second one binds it. */
const writeFor = async (engine: Engine, principal: Principal, question: Question): Promise<QueryStatement> => {
  const plain = write(question, SEES_ALL);
  if (canSeeEverything(engine, principal) && plain.use.operations.size === 0) return plain;
  const rights = await judgeQuery(engine, principal, plain.use, question.includeDeleted);
  if (rights.hidden.length + rights.judged.length === 0) return plain;
  const bound = write(question, rights);
  return { ...bound, values: { ...bound.values, seen: rights.seen } };
};

/** What the database says of a statement that it refuses, without the names that it was given for the statement. */
const explainRefusal = (message: string): string =>
  (message.split(/[\r\n]|\(line /)[0] ?? '')
    .replace(/`?\b[vpc]\d+\b`?/g, '…')
    .trim()
    .slice(0, 300);

const toQueryFailure = (failure: unknown): unknown => {
  if (hasTimedOut(failure))
    return new CatalogError('query_too_long', 'The query took too long and was ended', { cause: failure });
  if (hasExhaustedMemory(failure))
    return new CatalogError('unavailable', 'The query needs more memory than the database has for it', {
      cause: failure,
    });
  if (!isClientFailure(failure)) return failure;
  const message = failure instanceof Error ? failure.message : '';
  if (/\/ by zero/.test(message))
    return badRequest('[query: a number is divided by zero, or a range is too long]', failure);
  return badRequest(`[query: ${explainRefusal(message)}]`, failure);
};

const readRows = async (
  engine: Engine,
  { text, values, columns }: QueryStatement,
  question: GraphQuestion,
  signal: AbortSignal,
) => {
  const rows: Json[][] = [];
  let left = MAX_ANSWER_CHARACTERS;
  let isCut = false;
  const take = (row: readonly unknown[]): boolean => {
    const rendered = columns.map(({ type }, at) => renderQueryValue(row[at], type));
    left -= JSON.stringify(rendered).length;
    isCut = rows.length >= question.limit || left < 0;
    if (!isCut) rows.push(rendered);
    return !isCut;
  };
  await engine.graph.readQuery(text, values, { timeoutMs: question.timeoutMs, signal, take });
  return { rows, isCut };
};

const answerQuery = async (
  engine: Engine,
  principal: Principal,
  question: Question,
  signal: AbortSignal,
): Promise<GraphAnswer> => {
  const started = performance.now();
  const statement = await writeFor(engine, principal, question);
  try {
    const { rows, isCut } = await readRows(engine, statement, question, signal);
    const columns = statement.columns.map(({ title }) => title);
    return { columns, rows, truncated: isCut, tookMs: Math.round(performance.now() - started) };
  } catch (failure) {
    throw toQueryFailure(failure);
  }
};

/** Creates what answers the queries of a process. */
export const createQueryRunner = (
  engine: Engine,
  limiter: ConcurrencyLimiter = createConcurrencyLimiter({ width: QUERIES_AT_ONCE, maxWaiting: MAX_WAITING }),
): QueryRunner => {
  const view = buildGraphView(engine.registry);
  return {
    view,
    answer: (principal, question, signal) =>
      limiter(() => {
        signal.throwIfAborted();
        return answerQuery(engine, principal, { ...question, view }, signal);
      }),
    check: (query, parameters) =>
      write({ query, parameters, limit: 1, timeoutMs: 1, includeDeleted: false, view }, SEES_ALL).use.parameters,
  };
};
