import type { JsonObject } from '../json.ts';

/** The parent of a record: the member of the create body that names it, and the edge to it. */
export type ParentDeclaration = {
  readonly field: string;
  readonly kind: string;
  readonly edge: 'CONTAINS' | 'PARENT_OF';
  /** Without this parent, the record is at the root (or below the next parent in the list). */
  readonly required: boolean;
  /** How the create body names the parent. */
  readonly namedBy: 'fqn' | 'ref';
  /** A part of every FQN between the parent's name and the record's own. */
  readonly infix?: string;
  /** The last part of every FQN below this parent, whatever the record's name is. */
  readonly leaf?: string;
  /** The FQN of a record below this parent does not include the parent's name. */
  readonly isFqnRoot?: boolean;
  /** Only a separate operation sets this parent, no create body. */
  readonly setByOperation?: boolean;
  /** Describes a missing parent of this name, which is created together with its first child. */
  readonly createMissing?: (fqn: string) => MissingParent;
};

/** A parent that is created because a child needs it. */
export type MissingParent = {
  readonly name: string;
  readonly values: JsonObject;
  readonly parents: Readonly<Record<string, { readonly type: string; readonly fqn: string }>>;
};
