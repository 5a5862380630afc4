import type { JsonObject } from '../json.ts';

/** Where a record hangs: the member of the create body that names its parent, and the edge to it. */
export type ParentDeclaration = {
  readonly field: string;
  readonly kind: string;
  readonly edge: 'CONTAINS' | 'PARENT_OF';
  /** Without it the record stands at the root (or below the next parent in the list). */
  readonly required: boolean;
  /** How the create body names it. */
  readonly namedBy: 'fqn' | 'ref';
  /** A part that stands in every name between the parent's name and the record's own. */
  readonly infix?: string;
  /** The last part of every name below this parent, whatever the record is called. */
  readonly leaf?: string;
  /** What hangs below this parent is called after nothing but itself. */
  readonly isFqnRoot?: boolean;
  /** No create body names this parent: an operation of its own does. */
  readonly setByOperation?: boolean;
  /** A parent of this name that is not there comes into being with its first child: what it is then. */
  readonly createMissing?: (fqn: string) => MissingParent;
};

/** A record that comes into being because another one is to hang below it. */
export type MissingParent = {
  readonly name: string;
  readonly values: JsonObject;
  readonly parents: Readonly<Record<string, { readonly type: string; readonly fqn: string }>>;
};
