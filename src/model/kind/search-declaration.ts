import type { JsonObject } from '../json.ts';

/**
 * How a kind declares the search document of its records. The document is the record's own JSON plus members that are
 * derived from the rest of the declaration.
 */
export type SearchDeclaration = {
  /** The index of its documents. Records of a kind without one cannot be searched. */
  readonly index?: string;
  /** Further names under which the index can be searched. Each stands for several indexes. */
  readonly aliases?: readonly string[];
  /**
   * The gated relations, counts and values that its documents contain. The other relations have no size limit, or cost
   * a traversal each.
   */
  readonly includedMembers?: readonly string[];
  /** The member of its documents that lists the names of all columns or fields, at every depth. */
  readonly columnNamesMember?: 'columnNames' | 'fieldNames';
  /** Members of its documents that repeat a member of the record under another name: the new name, and the record's. */
  readonly memberAliases?: Readonly<Record<string, string>>;
  /** Names of related records in its documents that are no members of the record, and how to derive them. */
  readonly derivedNames?: Readonly<Record<string, (record: JsonObject) => string>>;
  /** Constant values of all its documents, which no request sets. */
  readonly constants?: Readonly<Record<string, boolean>>;
  /** The fields by which its documents are counted in answers, in addition to the common ones. */
  readonly facets?: readonly string[];
  /** Texts that are compared exactly and as a whole. */
  readonly keywordMembers?: readonly string[];
  /** Further texts that words without a field are searched in, and the weight of a match there. */
  readonly weights?: Readonly<Record<string, number>>;
};
