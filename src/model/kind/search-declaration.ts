import type { JsonObject } from '../json.ts';

/**
 * The words in which a kind says by what document its records are found. The document is the record's own JSON; what
 * every document has beside that follows from the other words of the declaration.
 */
export type SearchDeclaration = {
  /** The index of its documents. Records of a kind without one are found by no search. */
  readonly index?: string;
  /** The names under which that index can be searched, beside its own; each stands for several indexes. */
  readonly aliases?: readonly string[];
  /** The gated relations and sums its documents tell of. The others are as long as they like, or cost a walk each. */
  readonly includedMembers?: readonly string[];
  /** The member under which its documents list the names of all columns or fields, at every depth. */
  readonly columnNamesMember?: 'columnNames' | 'fieldNames';
  /** Members of its documents that only repeat one of the record's under another name: the new name, and the record's. */
  readonly memberAliases?: Readonly<Record<string, string>>;
  /** Names of records that its documents tell beside the record's members, and how they follow from those. */
  readonly derivedNames?: Readonly<Record<string, (record: JsonObject) => string>>;
  /** Values that no request sets, and that all its documents have. */
  readonly constants?: Readonly<Record<string, boolean>>;
  /** What its documents are counted by in answers, beside what all documents are. */
  readonly facets?: readonly string[];
  /** Texts that are compared whole and as they are written. */
  readonly keywordMembers?: readonly string[];
  /** Further texts in which words without a field are looked for, and how much is made of finding them there. */
  readonly weights?: Readonly<Record<string, number>>;
};
