import type { JsonObject } from '../../../model/json.ts';
import { isVersionAtLeast, type OdcsVersion } from './version.ts';

/** What the members of a document are declared with: the values they take, and the versions that define them. */

export type LeafType =
  | 'text'
  | 'id'
  | 'number'
  | 'integer'
  /** In an option of a type: an integer of at least 0, a number above 0, and a list of different texts. */
  | 'count'
  | 'positive'
  | 'names'
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

/** Objects whose conversion is more than that of their members; `conversions.ts` has it under this name. */
export type ConversionName =
  | 'document'
  | 'schemaObject'
  | 'property'
  | 'item'
  | 'rule'
  | 'server'
  | 'relationship'
  | 'person'
  | 'customProperty';

export type ObjectShape = {
  readonly members: MemberShapes;
  /** The member that a plain text in place of the object stands for. */
  readonly sole?: string;
  readonly conversion?: ConversionName;
};

export type ValueShape =
  | {
      readonly leaf: LeafType;
      readonly words?: readonly string[];
      readonly anyCase?: true;
      /** Other words stay, because something else decides about them. */
      readonly open?: true;
    }
  /** `keyed` lists of `{property, value}` may also be written as an object. */
  | { readonly list: () => ValueShape; readonly keyed?: true }
  | { readonly object: (object: JsonObject) => ObjectShape }
  | { readonly listOrObject: readonly [list: ValueShape, object: ValueShape] };

/** The first version of a range, and the first one after it. */
type VersionRange = { readonly since?: OdcsVersion; readonly until?: OdcsVersion };

/** A member, with the versions of 3.x that define it. */
export type MemberShape = VersionRange & {
  readonly shape: ValueShape;
  /** A document without it is refused, up to a version. */
  readonly required?: Pick<VersionRange, 'until'>;
  /** Its object is illegal without it in these versions. */
  readonly must?: VersionRange;
  /** A version that does not define the member has it among the custom properties, as `odcs<Member>`. */
  readonly deferred?: true;
};
export type MemberShapes = Readonly<Record<string, MemberShape>>;

export const leaf = (kind: LeafType) => ({ shape: { leaf: kind } }) as const;
export const text = leaf('text');
export const words = (...known: readonly string[]) => ({ shape: { leaf: 'text', words: known } }) as const;
export const shapeOf = (members: MemberShapes, more: Omit<ObjectShape, 'members'> = {}): ObjectShape => ({
  members,
  ...more,
});
export const objectOf = (object: () => ObjectShape) => ({ shape: { object } }) as const;
export const itemsOf = (object: () => ObjectShape) => ({ shape: { list: () => ({ object }) } }) as const;
export const since = (version: OdcsVersion, member: MemberShape): MemberShape => ({ ...member, since: version });
export const always = (member: MemberShape): MemberShape => ({ ...member, must: {} });
export const needed = (member: MemberShape): MemberShape => ({ ...member, required: {} });
export const deferred = (member: MemberShape): MemberShape => ({ ...member, deferred: true });

/** Whether a version lies in a range. */
export const isInRange = (version: OdcsVersion, range: VersionRange): boolean =>
  (range.since === undefined || isVersionAtLeast(version, range.since)) &&
  (range.until === undefined || !isVersionAtLeast(version, range.until));
