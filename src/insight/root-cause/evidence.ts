import type { ChangeName } from '../../model/schemas/insight/changes.ts';
import type { EvidenceKind } from '../../model/schemas/insight/root-cause.ts';
import type { ChangeRecord, EdgeDifference } from '../changes/catalog-change.ts';
import type { Evidence, Failure } from './rank-suspects.ts';

/** Tells changes and failures as evidence, with how likely each is to make data wrong. */

const WEIGHTS = {
  breaking: 1,
  schema: 0.9,
  failedTest: 0.8,
  lineage: 0.7,
  lifecycle: 0.6,
  added: 0.3,
} as const;

/** What an asset that failed by itself, and a run that failed or is missing, weigh. */
export const RUN_WEIGHTS = { failed: 1, missing: 0.8 } as const;

const typeOf = (value: unknown): string => {
  const { dataTypeDisplay, dataType } = (value ?? {}) as {
    readonly dataTypeDisplay?: string;
    readonly dataType?: string;
  };
  return dataTypeDisplay ?? dataType ?? 'another type';
};

const sqlOf = (edge: EdgeDifference, side: 'before' | 'after'): string => edge[side]?.merged.sqlQuery ?? '';

const describeEdge = (edge: EdgeDifference, change: ChangeName): string => {
  const from = edge.from.fullyQualifiedName;
  if (change === 'edgeAdded') return `Lineage from ${from} added`;
  if (change === 'edgeRemoved') return `Lineage from ${from} removed`;
  return sqlOf(edge, 'before') === sqlOf(edge, 'after')
    ? `Lineage from ${from} changed`
    : `SQL of the lineage from ${from} changed`;
};

type Describe = (change: ChangeRecord) => string;

const columnText =
  (describe: (name: string, change: ChangeRecord) => string): Describe =>
  (change) =>
    describe(change.column?.name ?? '', change);

/** The changes that can make data wrong. Owners, tags and descriptions cannot. */
const TEXTS: Partial<Readonly<Record<ChangeName, Describe>>> = {
  created: () => 'Created',
  deleted: () => 'Deleted',
  restored: () => 'Restored',
  renamed: ({ before, after }) => `Renamed from ${String(before)} to ${String(after)}`,
  columnAdded: columnText((name, { after }) => `Column ${name} added as ${typeOf(after)}`),
  columnRemoved: columnText((name) => `Column ${name} removed`),
  columnRetyped: columnText(
    (name, { before, after }) => `Type of column ${name} changed from ${typeOf(before)} to ${typeOf(after)}`,
  ),
  columnRenamed: columnText((name, { before }) => `Column ${String(before)} renamed to ${name}`),
  constraintChanged: columnText((name) =>
    name === '' ? 'Constraints changed' : `Constraint of column ${name} changed`,
  ),
};

const ADDITIONS: ReadonlySet<ChangeName> = new Set(['created', 'edgeAdded']);

const weightOf = ({ kind, change, breaking }: ChangeRecord): number => {
  if (ADDITIONS.has(change)) return WEIGHTS.added;
  if (breaking) return WEIGHTS.breaking;
  if (kind === 'schema') return WEIGHTS.schema;
  return kind === 'lineage' ? WEIGHTS.lineage : WEIGHTS.lifecycle;
};

const EVIDENCE_OF: Partial<Readonly<Record<ChangeRecord['kind'], EvidenceKind>>> = {
  schema: 'schema',
  lineage: 'lineage',
  lifecycle: 'lifecycle',
};

/** Tells a change as evidence; undefined when it cannot make data wrong. */
export const changeEvidence = (change: ChangeRecord): Evidence | undefined => {
  const kind = EVIDENCE_OF[change.kind];
  const text = change.edge ? describeEdge(change.edge, change.change) : TEXTS[change.change]?.(change);
  if (kind === undefined || text === undefined) return undefined;
  return { at: change.at, kind, text, weight: weightOf(change), column: change.column, change };
};

/** Tells a failure as evidence against what lies upstream of other failures. */
export const failureEvidence = ({ node, kind, since }: Failure): Evidence => ({
  at: since,
  kind,
  text: kind === 'test' ? `Test ${node.name} failed` : `Contract ${node.name} failed`,
  weight: kind === 'test' ? WEIGHTS.failedTest : WEIGHTS.breaking,
  isFailure: true,
});
