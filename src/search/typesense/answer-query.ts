import { chunk } from '../../model/chunk.ts';
import type { Kind } from '../../model/kind/kind.ts';
import {
  MAX_SEARCHES_PER_REQUEST,
  type ServerResult,
  type ServerSearch,
  type TypesenseClient,
  TypesenseFault,
} from './client.ts';
import { collectionAliasOf } from './collection-schema.ts';
import { buildEngineAnswer, type EngineAnswer } from './engine-answer.ts';
import { type EngineState, noteServerFailure, surveyInBackground } from './engine-state.ts';
import { type EngineQuery, planSearches, type ServerKnowledge } from './plan-searches.ts';
import { locateKindStarts } from './search-after.ts';

const searchAll = async (
  typesense: TypesenseClient,
  searches: readonly ServerSearch[],
): Promise<readonly ServerResult[]> => {
  const answers = await Promise.all(chunk(searches, MAX_SEARCHES_PER_REQUEST).map((some) => typesense.search(some)));
  return answers.flat();
};

const runQuery = async (
  { typesense }: EngineState,
  question: EngineQuery,
  wanted: readonly Kind[],
  here: ServerKnowledge,
): Promise<EngineAnswer | undefined> => {
  const search = (searches: readonly ServerSearch[]) => searchAll(typesense, searches);
  const starts = question.behind ? await locateKindStarts(question, wanted, here, search) : undefined;
  const plan = planSearches(question, wanted, here, starts);
  return plan && buildEngineAnswer(plan, question.size, await search(plan.searches));
};

/** Answers a query; undefined when Neo4j must answer it. */
export const answerQuery = async (
  state: EngineState,
  question: EngineQuery,
  wanted: readonly Kind[],
  at: number,
): Promise<EngineAnswer | undefined> => {
  const { breaker, options, prefix } = state;
  if (!breaker.isClosed()) return undefined;
  const isExpired = !state.lastSurvey || performance.now() - state.lastSurvey.at > options.surveyTtlMs;
  if (isExpired) void surveyInBackground(state);
  const { lastSurvey, capabilities: can } = state;
  if (!lastSurvey || !can || lastSurvey.isBehind || wanted.length === 0) return undefined;
  const { serving } = lastSurvey.collections;
  if (!wanted.every((kind) => serving.has(kind))) return undefined;
  try {
    const aliasFor = (kind: Kind) => collectionAliasOf(prefix, kind);
    return await runQuery(state, question, wanted, { now: at, can, aliasFor });
  } catch (failure) {
    if (!(failure instanceof TypesenseFault)) throw failure;
    noteServerFailure(state, failure);
    // The collections are not as the last survey found them.
    if (failure.kind !== 'refused') state.lastSurvey = undefined;
    state.log.warn('Typesense did not answer', { kind: failure.kind }, failure);
    return undefined;
  }
};
