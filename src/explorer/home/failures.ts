import { readEntityLink } from '../api/entity-link.ts';
import { lastName } from '../api/full-name.ts';
import type { Schemas } from '../api/types.ts';

/** A test or a contract whose latest result is bad, and the asset that it is about. */
export type RecentFailure = {
  readonly id: string;
  readonly kind: 'testCase' | 'dataContract';
  readonly name: string;
  readonly fqn: string;
  readonly at: number;
  readonly status: string;
  readonly text: string;
  readonly asset: { readonly type: string; readonly fqn: string; readonly name: string } | undefined;
};

export type FailedTest = {
  readonly id: string;
  readonly name: string;
  readonly displayName?: string;
  readonly fullyQualifiedName?: string;
  readonly entityLink?: string;
  readonly testCaseStatus?: string;
  readonly testCaseResult?: { readonly timestamp?: number; readonly result?: string };
};

export const readFailedTest = (test: FailedTest): RecentFailure => {
  const linked = readEntityLink(test.entityLink ?? '');
  return {
    id: test.id,
    kind: 'testCase',
    name: test.displayName || test.name,
    fqn: test.fullyQualifiedName ?? test.name,
    at: test.testCaseResult?.timestamp ?? 0,
    status: test.testCaseStatus ?? 'Failed',
    text: test.testCaseResult?.result ?? '',
    asset: linked && {
      type: linked.type,
      fqn: linked.fqn,
      name: linked.column === undefined ? lastName(linked.fqn) : `${lastName(linked.fqn)} › ${linked.column}`,
    },
  };
};

export type FailedContract = Pick<
  Schemas['DataContract'],
  'id' | 'name' | 'displayName' | 'fullyQualifiedName' | 'entity' | 'latestResult'
>;

const assetOf = ({ entity }: FailedContract): RecentFailure['asset'] => {
  const fqn = entity?.fullyQualifiedName ?? entity?.name;
  if (entity === undefined || fqn === undefined) return undefined;
  return { type: entity.type ?? '', fqn, name: entity.displayName || entity.name || fqn };
};

export const readFailedContract = (contract: FailedContract): RecentFailure => {
  const { id, name, displayName, fullyQualifiedName, latestResult } = contract;
  return {
    id,
    kind: 'dataContract',
    name: displayName || name,
    fqn: fullyQualifiedName ?? name,
    at: latestResult?.timestamp ?? 0,
    status: latestResult?.status ?? 'Failed',
    text: latestResult?.message ?? '',
    asset: assetOf(contract),
  };
};

/** The newest failures of both sorts. */
export const newestFailures = (
  tests: readonly RecentFailure[],
  contracts: readonly RecentFailure[],
  most: number,
): readonly RecentFailure[] => [...tests, ...contracts].sort((one, other) => other.at - one.at).slice(0, most);
