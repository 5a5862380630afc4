import * as v from 'valibot';
import { isObject, type Json, type JsonObject } from './json.ts';
import { isLongerThan, MAX_FQN_LENGTH, MAX_NAME_LENGTH } from './name.ts';
import { parseDateTime } from './time.ts';
import { dropNulls } from './validate.ts';

/**
 * The schemas of values that all kinds share (conventions 8), as requests may contain them. Members that the server
 * sets itself (names, hrefs, `inherited`) are accepted and ignored, because clients send back what they read.
 */

const titled = <T extends v.GenericSchema>(title: string, schema: T) => v.pipe(schema, v.title(title));

/** The maximum length of a free-form settings object, so that no record grows without limit. */
const MAX_FREE_FORM_LENGTH = 64 * 1024;

/** Any JSON object, kept unchanged. Valibot's own objects would lose members such as `__proto__`. */
export const FreeForm = v.pipe(
  v.custom<JsonObject>((input) => isObject(input as Json), 'must be an object'),
  v.check(
    (input) => JSON.stringify(input).length <= MAX_FREE_FORM_LENGTH,
    `must be at most ${MAX_FREE_FORM_LENGTH} bytes of JSON`,
  ),
  v.metadata({ freeForm: 'object' }),
);

/** Any JSON object, as a type with a name. */
export const titledFreeForm = (title: string) => titled(title, FreeForm);

/** Any JSON value. */
export const AnyJson = v.pipe(
  v.custom<Json>(() => true),
  v.metadata({ freeForm: 'any' }),
);

export const Text = v.string('must be a string');
export const Markdown = v.pipe(v.string('must be a string'), v.maxLength(1_000_000, 'size must be at most 1000000'));
export const Flag = v.boolean('must be true or false');
export const Integer = v.pipe(
  v.number('must be a number'),
  v.safeInteger('must be a whole number within ±9007199254740991'),
);
export const Num = v.pipe(v.number('must be a number'), v.finite('must be finite'));
export const Fraction = v.pipe(Num, v.minValue(0, 'must be at least 0'), v.maxValue(1, 'must be at most 1'));
export const Timestamp = v.pipe(Integer, v.minValue(0, 'must be greater than or equal to 0'));
export const bounded = (least: number, most: number) =>
  v.pipe(
    Integer,
    v.minValue(least, `must be greater than or equal to ${least}`),
    v.maxValue(most, `must be less than or equal to ${most}`),
  );

export const MAX_SHORT_TEXT = 3072;
export const ShortText = v.pipe(Text, v.maxLength(MAX_SHORT_TEXT, `size must be at most ${MAX_SHORT_TEXT}`));
export const NonEmptyText = v.pipe(ShortText, v.minLength(1, 'must not be empty'));
export const Uuid = v.pipe(
  v.string('must be a UUID'),
  v.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, 'must be a UUID'),
  v.toLowerCase(),
);
export const Fqn = v.pipe(
  v.string('must be a string'),
  v.minLength(1, 'must not be empty'),
  v.check((text) => !isLongerThan(text, MAX_FQN_LENGTH), `size must be between 1 and ${MAX_FQN_LENGTH}`),
);
/** A name that is no part of an FQN. It may be as long as the name of a record. */
export const PlainName = v.pipe(
  v.string('must be a string'),
  v.minLength(1, 'size must be between 1 and 256'),
  v.check((text) => !isLongerThan(text, MAX_NAME_LENGTH), 'size must be between 1 and 256'),
);
/** The name of a record or column, possibly quoted. `normaliseName` removes the quotes and validates the rest. */
export const NameInput = v.pipe(
  v.string('must be a string'),
  v.minLength(1, 'size must be between 1 and 256'),
  v.maxLength(2 * MAX_NAME_LENGTH, 'size must be between 1 and 256'),
);
export const Url = v.pipe(
  v.string('must be a URL'),
  v.maxLength(4096, 'size must be at most 4096'),
  v.check((text) => URL.canParse(text), 'must be a URL'),
);
export const SourceHash = v.pipe(
  v.string('must be a string'),
  v.minLength(1, 'size must be between 1 and 32'),
  v.maxLength(32, 'size must be between 1 and 32'),
);
export const Duration = v.pipe(
  v.string('must be an ISO 8601 duration'),
  v.regex(
    /^P(?=\d|T\d)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/,
    'must be an ISO 8601 duration',
  ),
);
const isCalendarDay = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};

export const CalendarDate = v.pipe(
  v.string('must be a date'),
  v.isoDate('must be a date such as 2024-12-31'),
  v.check(isCalendarDay, 'must be a day of the calendar'),
);
export const DateTime = v.pipe(
  v.string('must be a date-time'),
  v.check((text) => /^\d{4}-\d\d-\d\dT/.test(text) && parseDateTime(text) !== undefined, 'must be a date-time'),
);

export const oneOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, `must be one of ${values.join(', ')}`);

/** A list with a maximum length, far above that of any real record. */
/** One of several shapes. */
export const anyOf = (...schemas: readonly v.GenericSchema[]) => v.union([...schemas]);

export const listOf = <T extends v.GenericSchema>(item: T, max = 10_000) =>
  v.pipe(v.array(item, 'must be a list'), v.maxLength(max, `must have at most ${max} items`));

/** Refuses lists. Valibot would treat a list as an object without members. */
const refusingLists = <T extends v.GenericSchema>(schema: T): T => {
  const refusing: T = {
    ...schema,
    '~run': (dataset, config) =>
      schema['~run'].call(refusing, Array.isArray(dataset.value) ? { value: null } : dataset, config),
  };
  return refusing;
};

type ObjectMembers = Readonly<Record<string, v.GenericSchema>>;

const entriesOf = (members: ObjectMembers) =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, isRequired(schema) ? schema : optional(schema)]),
  );

/** An object with exactly these members. Each is optional unless wrapped in `must`. */
export const shape = (title: string, members: ObjectMembers) =>
  titled(title, refusingLists(v.strictObject(entriesOf(members), 'must be an object')));

/** What validation leaves of an object: its required members, and the others where it has them. */
type MembersOf<M extends ObjectMembers> = {
  readonly [K in keyof M as M[K] extends RequiredMember ? K : never]: v.InferOutput<M[K]>;
} & {
  readonly [K in keyof M as M[K] extends RequiredMember ? never : K]?: v.InferOutput<M[K]>;
};

/** An object with at least these members. Others are ignored. */
export const openShape = <M extends ObjectMembers>(title: string, members: M) =>
  titled(title, refusingLists(v.object(entriesOf(members), 'must be an object'))) as v.GenericSchema as v.GenericSchema<
    unknown,
    MembersOf<M>
  >;

const required = new WeakSet<object>();

declare const requiredMark: unique symbol;

/** A member that must be there. Only types know the mark. */
type RequiredMember = { readonly [requiredMark]: true };

/** Marks a member of a `shape` as required. */
export const must = <T extends v.GenericSchema>(schema: T): T & RequiredMember => {
  const marked = { ...schema };
  required.add(marked);
  return marked as T & RequiredMember;
};

const defaultValues = new WeakMap<object, Json>();

/** Gives a member of a `shape` a default value. */
export const defaulting = <T extends v.GenericSchema>(schema: T, value: v.InferOutput<T> & Json): T => {
  const marked = { ...schema };
  defaultValues.set(marked, value);
  return marked;
};

const optional = (schema: v.GenericSchema): v.GenericSchema =>
  defaultValues.has(schema) ? v.optional(schema, defaultValues.get(schema)) : v.optional(schema);

const isRequired = (schema: v.GenericSchema) => required.has(schema);

/** The members of a reference. Answers that say more about a record have them too. */
export const refMembers = Object.freeze({
  id: Uuid,
  type: Text,
  name: Text,
  fullyQualifiedName: Fqn,
  description: Text,
  displayName: Text,
  deleted: Flag,
  inherited: Flag,
  href: Text,
});

export const Ref = shape('EntityReference', refMembers);

const REF_MEMBERS: ReadonlySet<string> = new Set(Object.keys(refMembers));

/** Custom values have no schema here, but only references have both a type and an id or an FQN. */
export const looksLikeReference = (value: Json): value is JsonObject =>
  isObject(value) &&
  typeof value['type'] === 'string' &&
  (typeof value['id'] === 'string' || typeof value['fullyQualifiedName'] === 'string') &&
  Object.keys(value).every((name) => REF_MEMBERS.has(name));

/** Reduces references to id and type, because clients send them back with names that are not stored. */
const withoutNames = (_name: string, value: Json): Json =>
  looksLikeReference(value) ? [value['id'] ?? value['fullyQualifiedName'] ?? '', value['type'] ?? ''] : value;

/** Values of custom properties. The type of the record's kind defines what each may be. */
export const CustomValues = v.pipe(
  v.custom<JsonObject>((input) => isObject(input as Json), 'must be an object'),
  v.check(
    (input) => JSON.stringify(input, withoutNames).length <= MAX_FREE_FORM_LENGTH,
    `must be at most ${MAX_FREE_FORM_LENGTH} bytes of JSON`,
  ),
  v.metadata({ freeForm: 'object' }),
);

export const Style = shape('Style', {
  color: Text,
  iconURL: Text,
  coverImage: shape('CoverImage', { url: Text, position: Text }),
});

const LABEL_SOURCES = ['Classification', 'Glossary'] as const;
const LABEL_TYPES = ['Manual', 'Propagated', 'Automated', 'Derived', 'Generated'] as const;
const LABEL_STATES = ['Suggested', 'Confirmed'] as const;

const PatternMatch = shape('PatternMatch', { name: must(Text), regex: Text, score: must(Fraction) });

/** Metadata from the program that applied a label. Nulls in it count as absent, as everywhere. */
const LabelMetadata = v.pipe(
  FreeForm,
  v.transform((metadata): Record<string, unknown> => ({ ...(dropNulls(metadata) as JsonObject) })),
  shape('TagLabelMetadata', {
    recognizer: shape('TagLabelRecognizerMetadata', {
      recognizerId: must(Uuid),
      recognizerName: must(Text),
      score: must(Fraction),
      target: oneOf(['content', 'column_name']),
      patterns: listOf(PatternMatch),
    }),
    expiryDate: Integer,
  }),
);

export const TagLabel = shape('TagLabel', {
  tagFQN: must(Fqn),
  source: oneOf(LABEL_SOURCES),
  labelType: oneOf(LABEL_TYPES),
  state: oneOf(LABEL_STATES),
  name: Text,
  displayName: Text,
  description: Text,
  style: Style,
  href: Text,
  reason: Text,
  appliedAt: v.union([DateTime, Timestamp]),
  appliedBy: Text,
  metadata: LabelMetadata,
});

const Access = shape('AccessDetails', { timestamp: must(Timestamp), accessedBy: Ref, accessedByAProcess: Text });
export const LifeCycle = shape('LifeCycle', { created: Access, updated: Access, accessed: Access });

const UsageStats = shape('UsageStats', {
  count: must(Integer),
  percentileRank: v.pipe(Num, v.minValue(0, 'must be at least 0'), v.maxValue(100, 'must be at most 100')),
});
export const UsageDetails = shape('UsageDetails', {
  dailyStats: must(UsageStats),
  weeklyStats: UsageStats,
  monthlyStats: UsageStats,
  date: must(CalendarDate),
});

export const AssetCertification = shape('AssetCertification', {
  tagLabel: must(TagLabel),
  appliedDate: must(Timestamp),
  expiryDate: must(Timestamp),
});

export const Votes = shape('Votes', {
  upVotes: must(Integer),
  downVotes: must(Integer),
  upVoters: listOf(Ref),
  downVoters: listOf(Ref),
});

export const ENTITY_STATUSES = [
  'Draft',
  'In Review',
  'Approved',
  'Archived',
  'Deprecated',
  'Rejected',
  'Unprocessed',
] as const;
