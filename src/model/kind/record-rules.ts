import type { JsonObject } from '../json.ts';
import type { NamedRecord, NameLookup } from '../language/condition.ts';

/** The facts that the rules of a kind may use about related records. */

/** The facts about a record at the other end of a relation. */
export type RelatedRecord = {
  readonly id: string;
  readonly entityType: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly teamType?: string | null;
};

/** A rule for a candidate and its related records. `before` holds the stored values, if the record exists. */
export type RelatedRule = (
  candidate: JsonObject,
  related: Readonly<Record<string, readonly RelatedRecord[]>>,
  before: JsonObject | undefined,
) => void;

/** The facts about a record that a nested value mentions. */
export type MentionedRecord = Pick<RelatedRecord, 'id' | 'entityType' | 'name'> & { readonly category: string | null };

/** A rule for a candidate whose nested references are looked up by their ids. */
export type MentionRule = (candidate: JsonObject, find: (id: string) => MentionedRecord | undefined) => void;

/** How stored texts of a kind name other records without an edge to them. */
export type NameBearingTexts = {
  /** The kinds of records that can be named. */
  readonly kinds: readonly string[];
  /** Lists the named records. Each must exist when the text is stored. */
  readonly list: (values: JsonObject) => readonly NamedRecord[];
  /** Replaces the names by the records' present ones. */
  readonly rename: (values: JsonObject, nameOf: NameLookup) => JsonObject;
};
