import type { JsonObject } from '../../model/json.ts';
import type { ContractEntityStatus } from '../../model/schemas/contracts/contract-status.ts';
import type { IssueCollector } from './issue.ts';
import { nonBlankText } from './parts.ts';

/** The standard leaves the status open; these values come from its texts and examples. */
const STATUS_BY_WORD: Readonly<Record<string, ContractEntityStatus>> = {
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

/** Maps the status of a document to a contract status; unknown values become a draft. */
export const readContractStatus = (document: JsonObject, issues: IssueCollector): ContractEntityStatus => {
  const written = nonBlankText(document['status']) ?? '';
  const word = written.trim().toLowerCase();
  const known = Object.hasOwn(STATUS_BY_WORD, word) ? STATUS_BY_WORD[word] : undefined;
  if (known === undefined) {
    const message = `The status ${written.slice(0, 100)} is not known: the contract is a draft`;
    issues.add({ severity: 'warning', category: 'document', field: 'status', path: 'status', message });
  }
  return known ?? 'Draft';
};
