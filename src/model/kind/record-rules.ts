import type { JsonObject } from '../json.ts';
import type { NamedRecord, NameLookup } from '../language/condition.ts';

/** What the rules of a kind may know of the records around the one that they judge. */

/** What rules may know of a record at the other end of a relation. */
export type RelatedRecord = {
  readonly id: string;
  readonly entityType: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly teamType?: string | null;
};

/** `before` are the stored values, when there is a record already. */
export type RelatedRule = (
  candidate: JsonObject,
  related: Readonly<Record<string, readonly RelatedRecord[]>>,
  before: JsonObject | undefined,
) => void;

/** What rules may know of a record that a nested value mentions. */
export type MentionedRecord = Pick<RelatedRecord, 'id' | 'entityType' | 'name'> & { readonly category: string | null };

/** A rule over a candidate whose nested references are looked up by their ids. */
export type MentionRule = (candidate: JsonObject, find: (id: string) => MentionedRecord | undefined) => void;

/** How texts among the stored values of a kind name records instead of pointing at them. */
export type NameBearingTexts = {
  /** The kinds of records that can be named. */
  readonly kinds: readonly string[];
  /** The records that are named; each must exist when the text is stored. */
  readonly list: (values: JsonObject) => readonly NamedRecord[];
  /** The same values with the names that records have now. */
  readonly rename: (values: JsonObject, nameOf: NameLookup) => JsonObject;
};
