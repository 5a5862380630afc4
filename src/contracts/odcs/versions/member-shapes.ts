import type { JsonObject } from '../../../model/json.ts';
import { isVersion2, isVersionAtLeast, type OdcsVersion } from './version.ts';

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

/** Objects whose conversion is more than that of their members; `conversions-v2.ts` and `conversions-v3.ts` have it under this name. */
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

/** Values that are not the same in 2.2.x; `conversions-v2.ts` converts them under this name. */
export type FormerConversionName =
  | 'columns'
  | 'linesIn221'
  | 'not'
  | 'rules'
  | 'servers'
  | 'slaValue'
  | 'stakeholders'
  | 'support'
  | 'tableRules'
  | 'tables'
  | 'textIn221'
  | 'texts';

export type ObjectShape = {
  readonly members: MemberShapes;
  /** The member that a plain text in place of the object stands for. */
  readonly sole?: string;
  readonly conversion?: ConversionName;
  /** Its members have other names in 2.2.x, so that a name of 3.x means something else there. */
  readonly isRenamed?: true;
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

/** A member in 2.2.x, with the versions of 2.2.x that define it, where that is not the same as since 3.0. */
type FormerMember = Pick<VersionRange, 'since'> & {
  /** The first name that a document uses is read, and the first of all is written. */
  readonly names: readonly string[];
  readonly shape?: ValueShape;
  readonly required?: VersionRange;
  readonly conversion?: FormerConversionName;
  /** What is written for a missing value. */
  readonly fallback?: string;
  /** The members of the same object that stand for it together. */
  readonly spread?: MemberShapes;
};

/** A member, with the versions of 3.x that define it. */
export type MemberShape = VersionRange & {
  readonly shape: ValueShape;
  readonly was?: FormerMember;
  /** A document of these versions is refused without it. */
  readonly required?: VersionRange;
  /** Its object is illegal without it in these versions. */
  readonly must?: VersionRange;
  /** A version that does not define the member has it among the custom properties, as `odcs<Member>`. */
  readonly deferred?: true;
};
export type MemberShapes = Readonly<Record<string, MemberShape>>;

export const leaf = (kind: LeafType) => ({ shape: { leaf: kind } }) as const;
export const text = leaf('text');
export const words = (known: string) => ({ shape: { leaf: 'text', words: known.split(' ') } }) as const;
export const shapeOf = (members: MemberShapes, more: Omit<ObjectShape, 'members'> = {}): ObjectShape => ({
  members,
  ...more,
});

/** A shape, or a function for one that contains itself. */
type ShapeSource = ObjectShape | (() => ObjectShape);
const toFunction = (source: ShapeSource): (() => ObjectShape) => (typeof source === 'function' ? source : () => source);
export const objectShape = (source: ShapeSource) => ({ shape: { object: toFunction(source) } }) as const;
export const itemsOf = (source: ShapeSource) => ({ shape: { list: () => objectShape(source).shape } }) as const;
export const since = (version: OdcsVersion, member: MemberShape): MemberShape => ({ ...member, since: version });
export const always = (member: MemberShape): MemberShape => ({ ...member, must: {} });
export const needed = (member: MemberShape): MemberShape => ({ ...member, required: {} });
export const deferred = (member: MemberShape): MemberShape => ({ ...member, deferred: true });

export const was = (
  member: MemberShape,
  names: string | readonly string[],
  more: Omit<FormerMember, 'names'> = {},
): MemberShape => ({ ...member, was: { names: typeof names === 'string' ? [names] : names, ...more } });

/** A member of 2.2.x alone, which has its own name among the custom properties since 3.0. */
export const only2 = (member: MemberShape, more: Omit<FormerMember, 'names'> = {}): MemberShape => ({
  ...member,
  until: 'v3.0.0',
  was: { names: [], ...more },
});

/** Whether a version lies in a range. */
export const isInRange = (version: OdcsVersion, range: VersionRange): boolean =>
  (range.since === undefined || isVersionAtLeast(version, range.since)) &&
  (range.until === undefined || !isVersionAtLeast(version, range.until));

const toFormerMembers = ([name, member]: readonly [string, MemberShape]): readonly (readonly [
  string,
  MemberShape,
])[] => {
  const { was: former } = member;
  if (former === undefined) return [];
  if (former.spread) return Object.entries(former.spread);
  const { required, shape = member.shape } = former;
  const names = former.names.length === 0 ? [name] : former.names;
  return names.map((other, index) => [other, { shape, ...(required && index === 0 ? { required } : {}) }]);
};

const viewMembers = (toView: (members: MemberShapes) => readonly (readonly [string, MemberShape])[]) => {
  const views = new WeakMap<MemberShapes, MemberShapes>();
  return (members: MemberShapes): MemberShapes => {
    const known = views.get(members) ?? Object.fromEntries(toView(members));
    views.set(members, known);
    return known;
  };
};

const viewAsVersion2 = viewMembers((members) => Object.entries(members).flatMap(toFormerMembers));
const viewAsVersion3 = viewMembers((members) => Object.entries(members).filter(([, { until }]) => until !== 'v3.0.0'));

/** The members of an object by the names that they have in 2.2.x or in 3.x. */
export const membersOf = ({ members }: ObjectShape, version: OdcsVersion): MemberShapes =>
  isVersion2(version) ? viewAsVersion2(members) : viewAsVersion3(members);
