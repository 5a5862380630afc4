import type { JsonObject } from '../../../model/json.ts';
import type { OdcsVersion } from './version.ts';

/** What the members of a document are declared with: the values they take, and the versions that define them. */

export type LeafType =
  | 'text'
  | 'id'
  | 'number'
  | 'integer'
  | 'flag'
  | 'scalar'
  | 'json'
  | 'map'
  /** Names of approvers: the standard has one text, some documents write a list. */
  | 'approvers'
  /** A list of texts; a single text may stand without the list. */
  | 'texts'
  /** In 2.x: a flag or its text. */
  | 'spokenFlag'
  /** In 2.x: a number or its text. */
  | 'spokenNumber'
  /** In 2.x: a text or its lines. */
  | 'lines';

export type ValueShape =
  | { readonly leaf: LeafType; readonly words?: readonly string[]; readonly anyCase?: true }
  /** `keyed` lists of `{property, value}` may also be written as an object. */
  | { readonly list: () => ValueShape; readonly keyed?: true }
  /** `sole` is the member that a plain text in place of the object stands for. */
  | { readonly members: (object: JsonObject) => MemberShapes; readonly sole?: string }
  | { readonly listOrObject: readonly [list: ValueShape, object: ValueShape] };

export type MemberShape = {
  readonly shape: ValueShape;
  /** The first version of 3.x that defines the member. */
  readonly since?: OdcsVersion;
  /** A document without it is refused. */
  readonly required?: true;
  /** Its object is illegal without it in these versions. */
  readonly must?: { readonly since?: OdcsVersion; readonly until?: OdcsVersion };
};
export type MemberShapes = Readonly<Record<string, MemberShape>>;

export const leaf = (kind: LeafType) => ({ shape: { leaf: kind } }) as const;
export const text = leaf('text');
export const words = (...known: readonly string[]) => ({ shape: { leaf: 'text', words: known } }) as const;
export const itemsOf = (members: () => MemberShapes) => ({ shape: { list: () => ({ members }) } }) as const;
export const since = (version: OdcsVersion, member: MemberShape): MemberShape => ({ ...member, since: version });
export const always = (member: MemberShape): MemberShape => ({ ...member, must: {} });
export const needed = (member: MemberShape): MemberShape => ({ ...member, required: true });

/** The options of all types. */
export const TYPE_OPTIONS: MemberShapes = {
  minLength: leaf('integer'),
  maxLength: leaf('integer'),
  pattern: text,
  format: text,
  minimum: leaf('scalar'),
  maximum: leaf('scalar'),
  exclusiveMinimum: leaf('scalar'),
  exclusiveMaximum: leaf('scalar'),
  multipleOf: leaf('number'),
  timezone: leaf('flag'),
  defaultTimezone: text,
  maxProperties: leaf('integer'),
  minProperties: leaf('integer'),
  required: leaf('texts'),
  maxItems: leaf('integer'),
  minItems: leaf('integer'),
  uniqueItems: leaf('flag'),
  dimensions: leaf('integer'),
  elementType: text,
  distanceMetric: text,
  embeddingModel: text,
  embeddingModelVersion: text,
  normalized: leaf('flag'),
};
