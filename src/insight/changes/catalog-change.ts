import type { RefNode } from '../../catalog/queries.ts';
import type { MergedEdge } from '../../lineage/edge.ts';
import type { Json } from '../../model/json.ts';
import type { ChangeKind, ChangeName } from '../../model/schemas/insight/changes.ts';

/**
 * What changed in the catalog, as plain data. Read `read-changes.ts` for where changes come from, `state-changes.ts`,
 * `column-changes.ts`, `edge-changes.ts` and `outcome-changes.ts` for what each source tells, and `render-changes.ts` for
 * the answer.
 */

/** A column that changed, named as it was called right after the change. */
export type ChangedColumn = { readonly name: string; readonly fullyQualifiedName: string; readonly owner: RefNode };

/** The two ends of an edge that changed, and what it held before and after. */
export type EdgeDifference = {
  readonly from: RefNode;
  readonly to: RefNode;
  readonly before: EdgeStatement | undefined;
  readonly after: EdgeStatement | undefined;
};

/** What an edge held at one time, and which sources stated it. */
export type EdgeStatement = { readonly merged: MergedEdge; readonly sources: readonly string[] };

/** How the event of a change is recognized. */
export type EventClue = {
  readonly entityId: string;
  readonly eventTypes: readonly string[];
  /** When the event happened; undefined when the change bears another time. Then the mark is in its text. */
  readonly at?: number;
  readonly mark?: string;
};

/** One change of a record, of one of its columns, or of an edge that leads to it. */
export type ChangeRecord = {
  readonly at: number;
  readonly by: string | null;
  readonly node: RefNode;
  /** The asset that a test or a contract is about: who may not see it learns nothing of them. */
  readonly about?: Pick<RefNode, 'id' | 'entityType'> | null;
  readonly kind: ChangeKind;
  readonly change: ChangeName;
  readonly column?: ChangedColumn;
  readonly before: Json | null;
  readonly after: Json | null;
  readonly edge?: EdgeDifference;
  readonly breaking: boolean;
  readonly version: number | null;
  /** Numbers the changes of one version. */
  readonly ordinal?: number;
  /** The event, or how it can be found. */
  readonly event: string | EventClue;
};

/** What a source tells of a change, before it is known whose and when. */
export type ChangePart = Pick<ChangeRecord, 'kind' | 'change'> &
  Partial<Pick<ChangeRecord, 'before' | 'after' | 'breaking' | 'column'>>;

const comparePlaces = (a: ChangeRecord, b: ChangeRecord): number =>
  b.at - a.at ||
  (b.version ?? 0) - (a.version ?? 0) ||
  (a.node.fullyQualifiedName < b.node.fullyQualifiedName
    ? -1
    : a.node.fullyQualifiedName > b.node.fullyQualifiedName
      ? 1
      : 0);

export const CHANGE_ORDERS = {
  /** Breaking changes first, then the newest. */
  severity: (a: ChangeRecord, b: ChangeRecord): number =>
    Number(b.breaking) - Number(a.breaking) || comparePlaces(a, b),
  time: comparePlaces,
} as const;

/** A key that no other change has. */
export const changeKey = ({ at, node, change, version, ordinal, edge }: ChangeRecord): string =>
  [at, node.id, change, version ?? '', ordinal ?? '', edge ? `${edge.from.id} ${edge.to.id}` : ''].join(' ');
