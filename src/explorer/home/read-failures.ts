import { ask } from '../api/ask.ts';
import {
  type FailedContract,
  type FailedTest,
  type RecentFailure,
  readFailedContract,
  readFailedTest,
} from './failures.ts';

/** Which results of a kind are bad, and where its search documents have them. */
type Failing = {
  readonly index: string;
  readonly statusField: string;
  readonly bad: readonly string[];
  /** The latest result, with its `timestamp`. */
  readonly resultField: string;
  readonly also: string;
};

const FAILING_TESTS: Failing = {
  index: 'testCase',
  statusField: 'testCaseStatus',
  bad: ['Failed', 'Aborted'],
  resultField: 'testCaseResult',
  also: 'entityLink,testCaseStatus',
};

const FAILING_CONTRACTS: Failing = {
  index: 'dataContract',
  statusField: 'latestResult.status',
  bad: ['Failed', 'PartialSuccess', 'Aborted'],
  resultField: 'latestResult',
  also: 'entity',
};

type Answer<Document> = { readonly hits: { readonly hits: readonly { readonly _source: Document }[] } };

/** The search documents of a kind whose latest result is bad, the newest first, however many there are. */
const searchFailing = async <Document>(
  { index, statusField, bad, resultField, also }: Failing,
  size: number,
  signal: AbortSignal,
): Promise<readonly Document[]> => {
  const { hits } = await ask<Answer<Document>>('/v1/search/query', {
    query: {
      q: '*',
      index,
      size,
      query_filter: JSON.stringify({ query: { terms: { [statusField]: bad } } }),
      sort_field: `${resultField}.timestamp`,
      sort_order: 'desc',
      include_aggregations: false,
      include_source_fields: `id,name,displayName,fullyQualifiedName,${resultField},${also}`,
    },
    signal,
  });
  return hits.hits.map(({ _source }) => _source);
};

export const readFailingTests = async (size: number, signal: AbortSignal): Promise<readonly RecentFailure[]> =>
  (await searchFailing<FailedTest>(FAILING_TESTS, size, signal)).map(readFailedTest);

export const readFailingContracts = async (size: number, signal: AbortSignal): Promise<readonly RecentFailure[]> =>
  (await searchFailing<FailedContract>(FAILING_CONTRACTS, size, signal)).map(readFailedContract);
