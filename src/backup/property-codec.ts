/**
 * Encodes properties as JSON. Neo4j distinguishes integers from floats and JSON does not: plain numbers in an archive
 * are integers, floats are marked. Neo4j properties are never maps, so a mark cannot be mistaken for a value.
 */

type EncodedValue = string | boolean | number | { f: number | string } | { i: string } | { b: string } | EncodedValue[];

const encodeFloat = (value: number): EncodedValue =>
  Number.isFinite(value) && !Object.is(value, -0) ? { f: value } : { f: Object.is(value, -0) ? '-0' : String(value) };

const encodeInteger = (value: bigint): EncodedValue => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : { i: String(value) };
};

/** Throws when the value is of a type that Tributary never stores, such as a point or a date of Neo4j. */
const encodeValue = (value: unknown): EncodedValue => {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return encodeInteger(value);
  if (typeof value === 'number') return encodeFloat(value);
  if (Array.isArray(value)) return value.map(encodeValue);
  if (value instanceof Int8Array)
    return { b: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') };
  throw new TypeError('its type cannot be stored in an archive');
};

const mapProperties = (properties: object, change: (value: unknown, name: string) => unknown): object => {
  const changed: [string, unknown][] = [];
  for (const [name, value] of Object.entries(properties)) changed.push([name, change(value, name)]);
  // `fromEntries` makes every name an own property; assigning to `__proto__` would not.
  return Object.fromEntries(changed);
};

export const encodeProperties = (properties: object): object =>
  mapProperties(properties, (value, name) => {
    try {
      return encodeValue(value);
    } catch (cause) {
      throw new TypeError(`the property ${name} cannot be stored: ${(cause as Error).message}`, { cause });
    }
  });

const decodeMarked = (value: object): unknown => {
  if ('f' in value) return Number(value.f);
  if ('i' in value) return BigInt(String(value.i));
  if ('b' in value) return Int8Array.from(Buffer.from(String(value.b), 'base64'));
  throw new TypeError('the archive marks a value in an unknown way');
};

const decodeValue = (value: unknown): unknown => {
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(decodeValue);
  if (typeof value === 'object' && value !== null) return decodeMarked(value);
  return value;
};

export const decodeProperties = (properties: object): object => mapProperties(properties, decodeValue);
