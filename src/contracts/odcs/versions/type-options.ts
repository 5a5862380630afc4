import { leaf, type MemberShape, type MemberShapes, since, text, words } from './member-shapes.ts';
import { isVersionAtLeast, type OdcsVersion } from './version.ts';

/** The options of logical types. */

const bounds = (value: MemberShape): MemberShapes => ({
  minimum: value,
  maximum: value,
  exclusiveMinimum: value,
  exclusiveMaximum: value,
});

const numeric = { ...bounds(leaf('number')), multipleOf: leaf('positive') };
const date = { ...bounds(text), format: text };
const time = { ...date, timezone: since('v3.1.0', leaf('flag')), defaultTimezone: since('v3.1.0', text) };

/** The options of each type. Types without options, and properties without a type, have none. */
export const OPTIONS_BY_TYPE: Readonly<Record<string, MemberShapes>> = {
  string: { minLength: leaf('count'), maxLength: leaf('count'), pattern: text, format: text },
  date,
  timestamp: time,
  time,
  integer: { ...numeric, format: words('i8 i16 i32 i64 i128 u8 u16 u32 u64 u128') },
  number: { ...numeric, format: words('f32 f64') },
  object: { maxProperties: leaf('count'), minProperties: leaf('count'), required: leaf('names') },
  array: { maxItems: leaf('count'), minItems: leaf('count'), uniqueItems: leaf('flag') },
  vector: {
    dimensions: since('v3.2.0', leaf('count')),
    elementType: since('v3.2.0', words('bfloat16 binary float16 float32 float64 int8 uint8')),
    distanceMetric: since('v3.2.0', words('cosine dotProduct euclidean hamming manhattan')),
    embeddingModel: since('v3.2.0', text),
    embeddingModelVersion: since('v3.2.0', text),
    normalized: since('v3.2.0', leaf('flag')),
  },
};

const EXCLUSIVE_FLAGS: MemberShapes = { exclusiveMinimum: leaf('flag'), exclusiveMaximum: leaf('flag') };

/** The options that a version allows for a type. Up to 3.0.2, exclusive bounds are flags on the bounds. */
export const optionsOf = (type: string, version: OdcsVersion): MemberShapes => {
  const options = (Object.hasOwn(OPTIONS_BY_TYPE, type) ? OPTIONS_BY_TYPE[type] : undefined) ?? {};
  return 'minimum' in options && !isVersionAtLeast(version, 'v3.1.0') ? { ...options, ...EXCLUSIVE_FLAGS } : options;
};

/** The options of all types. What they hold depends on the type, which may be written in a form that is not known. */
export const TYPE_OPTIONS: MemberShapes = {
  ...Object.assign({}, ...Object.values(OPTIONS_BY_TYPE)),
  ...bounds(leaf('scalar')),
  format: text,
  elementType: since('v3.2.0', text),
  distanceMetric: since('v3.2.0', text),
};
