import type { JsonObject } from '../json.ts';
import type { SubscriptionWrite } from '../schemas/events/delivers-as.ts';
import type { EdgeType } from './edges.ts';
import type { KindDeclaration } from './kind.ts';
import type { MentionRule, NameBearingTexts, RelatedRule } from './record-rules.ts';

/** The words of a declaration that a single kind needs. A word that a second kind needs moves to `KindDeclaration`. */
export type SpecialDeclaration = {
  /** Completes the declaration by what the declarations of all kinds say, after they have been loaded. */
  readonly completeAmong?: (
    kinds: readonly KindDeclaration[],
  ) => Pick<KindDeclaration, 'parents' | 'attributes' | 'isAbout'>;
  /** Builds the name of a record whose create body has none. */
  readonly defaultName?: (body: JsonObject) => string;
  /** Create bodies may also be YAML. */
  readonly acceptsYaml?: boolean;
  /** Rewrites a create body to the kind's own members, where the API accepts alternative ones. */
  readonly normaliseBody?: (body: JsonObject) => JsonObject;
  /** Does the same for a patched document, given the document before the patch. */
  readonly normaliseDocument?: (document: JsonObject, former: JsonObject) => JsonObject;
  /** A prefix of the record's own name in its fully qualified name. The name after it is appended unquoted. */
  readonly namePrefix?: string;
  /** Fully qualified names are not unique, because parents of different kinds may have the same name. */
  readonly sharesNames?: boolean;
  /** The kinds of child records that are deleted with a record without a recursive delete. */
  readonly partKinds?: readonly string[];
  /** The name that precedes the record's own name in its FQN, where that is not the name of its parent. */
  readonly namedBelow?: (values: JsonObject) => string | undefined;
  /**
   * The values that records inherit when they have none, each with the statement that reads it and returns rows of `id`
   * and `row`.
   */
  readonly inherits?: { readonly tags: string; readonly followers: string };
  /**
   * The edge by which records of other kinds require a record of this kind. It cannot be deleted while such edges
   * exist.
   */
  readonly requiredByEdge?: EdgeType;
  /** A caller with this operation on the nearest ancestor of that kind may also create records of this kind. */
  readonly alsoCreatedBy?: { readonly kind: string; readonly operation: string };
  /** What callers who may not create records may do instead, as a sentence for the hint of the refusal. */
  readonly insteadOfCreation?: string;
  /** Answers why the common delete operations must refuse a record, or undefined when they may delete it. */
  readonly undeletableReason?: (values: JsonObject) => string | undefined;
  /** Extra rules for a record and its related records, by member name. */
  readonly relatedRules?: readonly RelatedRule[];
  /** Extra rules for a record and the records that its nested values mention. */
  readonly mentionRules?: readonly MentionRule[];
  /** Stored texts that name other records. They are rewritten when those records are renamed. */
  readonly nameBearingTexts?: NameBearingTexts;
  /** Computes values that no request sets and that depend on the author and the content of a write. */
  readonly computeOnWrite?: (write: SubscriptionWrite) => JsonObject;
  /**
   * The URLs that this program calls for its records. Each is checked against the allowed targets when it is stored.
   */
  readonly calledUrls?: (values: JsonObject) => readonly string[];
  /** Names are stored in lower case. */
  readonly lowerCaseName?: boolean;
  /** A record is deleted with the last of its domains. Until then, a domain with such records is not empty. */
  readonly deletedWithDomains?: boolean;
  /** Its records describe the other kinds by name and define their custom properties. */
  readonly describesKinds?: boolean;
  /** Related records that can be listed page by page, as references or as whole records. */
  readonly listings?: readonly {
    readonly path: string;
    readonly edge: EdgeType;
    readonly direction: 'out' | 'in';
    readonly whole: boolean;
  }[];
  /** The child records that lineage treats as if they were columns of a record of this kind. */
  readonly lineageParts?: { readonly edge: EdgeType; readonly kind: string };
  /** Further lists of records with the same operations as assets: the edge to their records, by path. */
  readonly ports?: Readonly<Record<string, EdgeType>>;
  /** A failed `If-Match` answers 409 instead of 412. */
  readonly staleIsConflict?: boolean;
};
