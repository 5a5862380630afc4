import type { ContractStatus } from '../../model/contract-words.ts';
import type { JsonObject } from '../../model/json.ts';
import type { IssueCollector } from './issue.ts';
import { spoken } from './parts.ts';

/** The standard leaves the word open: these are those of its texts and examples. */
const STATES: Readonly<Record<string, ContractStatus>> = {
  active: 'Approved',
  production: 'Approved',
  current: 'Approved',
  deprecated: 'Deprecated',
  retired: 'Deprecated',
  proposed: 'Draft',
  draft: 'Draft',
  test: 'Draft',
  development: 'Draft',
  'in development': 'Draft',
  pending: 'Draft',
};

/** The state of a contract that a document's free word means; words that nobody knows mean a draft. */
export const readStatus = (document: JsonObject, issues: IssueCollector): ContractStatus => {
  const written = spoken(document['status']) ?? '';
  const word = written.trim().toLowerCase();
  const known = Object.hasOwn(STATES, word) ? STATES[word] : undefined;
  if (known === undefined) {
    const message = `The status ${written.slice(0, 100)} is not known: the contract is a draft`;
    issues.add({ severity: 'warning', category: 'document', field: 'status', path: 'status', message });
  }
  return known ?? 'Draft';
};
