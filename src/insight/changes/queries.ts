import type { RefNode } from '../../catalog/queries.ts';
import { declareVariants, type IndexedRows, statement } from '../../graph/statement.ts';
import type { RawProperties } from '../../lineage/edge.ts';

/** Cypher statements that list what changed in a part of the catalog within a time window. */

type Window = { readonly from: number; readonly to: number; readonly limit: number };
type InScope = { readonly scope: string };
type OfTypes = { readonly entityTypes: readonly string[] };
type OfRecords = { readonly ids: readonly string[] };

const WINDOW = ['from', 'to', 'limit'] as const;

export const listScopeRecords = statement<OfTypes & InScope & { readonly limit: number }, { id: string }>(
  'insight/changes/list_scope_records',
  { params: ['entityTypes', 'scope', 'limit'], row: ['id'] },
);

export const listRecordParts = statement<{ id: string; limit: number }, { id: string }>(
  'insight/changes/list_record_parts',
  { params: ['id', 'limit'], row: ['id'] },
);

/** A state that a record got, with the change that led to it. */
export type ChangedStateRow = {
  readonly node: RefNode;
  /** The asset that a test or a contract is about. */
  readonly about: Pick<RefNode, 'id' | 'entityType'> | null;
  readonly at: number;
  readonly version: number;
  /** Who made the change; null in a state of an older program. */
  readonly by: string | null;
  /** The change description as JSON; null for a new record, and in a state of an older program. */
  readonly changeJson: string | null;
  /** The whole state, where an older program stored nothing beside it. */
  readonly json: string | null;
};

const STATE = ['node', 'about', 'at', 'version', 'by', 'changeJson', 'json'] as const;

export const listScopeStates = {
  current: statement<OfTypes & InScope & Window, ChangedStateRow>('insight/changes/list_current_states', {
    params: ['entityTypes', 'scope', ...WINDOW],
    row: STATE,
  }),
  former: statement<OfTypes & InScope & Window, ChangedStateRow>('insight/changes/list_former_states', {
    params: ['entityTypes', 'scope', ...WINDOW],
    row: STATE,
  }),
};

export const listRecordStates = statement<OfRecords & Window, ChangedStateRow>('insight/changes/list_record_states', {
  params: ['ids', ...WINDOW],
  row: STATE,
});

/** The event of a record that was deleted for good; its text may be cut off behind the name of the record. */
export type DeletionRow = {
  readonly id: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly by: string;
  readonly at: number;
  readonly json: string;
};

type DeletionParams = OfTypes & {
  readonly since: string;
  readonly until: string;
  readonly mark: string;
  readonly size: number;
  readonly limit: number;
};

export const listDeletions = statement<DeletionParams, DeletionRow>('insight/changes/list_deletions', {
  params: ['entityTypes', 'since', 'until', 'mark', 'size', 'limit'],
  row: ['id', 'entityType', 'entityId', 'by', 'at', 'json'],
});

/** An edge, and what its sources stated in the time window. */
export type TouchedEdgeRow = {
  readonly edgeId: string;
  readonly isCut: boolean;
  readonly from: RefNode;
  readonly to: RefNode;
  readonly assertions: readonly RawProperties[];
};

const EDGE = ['edgeId', 'isCut', 'from', 'to', 'assertions'] as const;

export const listScopeEdgeChanges = statement<InScope & Window, TouchedEdgeRow>('insight/changes/list_edges', {
  params: ['scope', ...WINDOW],
  row: EDGE,
});

export const listRecordEdgeChanges = statement<OfRecords & Window, TouchedEdgeRow>(
  'insight/changes/list_record_edges',
  { params: ['ids', ...WINDOW], row: EDGE },
);

/** The outcomes of a test or a contract, newest first. */
export type OutcomesRow = {
  readonly isCut: boolean;
  readonly node: RefNode;
  readonly runs: readonly (readonly [at: number, status: string])[];
  /** The outcome before them. */
  readonly before: string | null;
  readonly columnName: string | null;
  /** The record that a test is about. */
  readonly subject: RefNode | null;
};

type OutcomeParams = Window & { readonly statuses: readonly string[] };

const OUTCOMES = ['isCut', 'node', 'runs', 'before', 'columnName', 'subject'] as const;

/** Where the results of tests and of contracts are stored. */
export const RESULT_SERIES = declareVariants({
  tests: { RESULT: 'TestResult', OWNER: 'caseId' },
  contracts: { RESULT: 'ContractResult', OWNER: 'contractId' },
});

const declareOutcomes = (results: (typeof RESULT_SERIES)[keyof typeof RESULT_SERIES]) => ({
  ofScope: statement<InScope & OutcomeParams, OutcomesRow>(
    'insight/changes/list_outcomes',
    { params: ['scope', 'statuses', ...WINDOW], row: OUTCOMES },
    results,
  ),
  ofRecords: statement<OfRecords & OutcomeParams, OutcomesRow>(
    'insight/changes/list_record_outcomes',
    { params: ['ids', 'statuses', ...WINDOW], row: OUTCOMES },
    results,
  ),
});

export const listOutcomes = {
  tests: declareOutcomes(RESULT_SERIES.tests),
  contracts: declareOutcomes(RESULT_SERIES.contracts),
};

/** Where the event of a change is looked for. */
export type EventKey = {
  readonly entityId: string;
  readonly eventTypes: readonly string[];
  readonly since: string;
  readonly until: string;
  readonly mark: string | null;
};

export const findChangeEvents = statement<IndexedRows<EventKey>, { at: number; id: string; by: string }>(
  'insight/changes/find_events',
  { params: ['rows'], row: ['at', 'id', 'by'] },
);
