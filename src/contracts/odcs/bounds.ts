import { type JsonObject, type MutableJsonObject, member } from '../../model/json.ts';

/** Converts exclusive bounds, which are a flag on the bound up to 3.0.2 and separate options since 3.1.0. */

const SIDES = [
  { bound: 'minimum', exclusive: 'exclusiveMinimum' },
  { bound: 'maximum', exclusive: 'exclusiveMaximum' },
] as const;

/** Converts options of 3.0.x to those of 3.1.0. */
export const toExclusiveBounds = (options: JsonObject): JsonObject => {
  const result: MutableJsonObject = { ...options };
  for (const { bound, exclusive } of SIDES) {
    const marked = member(options, exclusive);
    if (typeof marked !== 'boolean') continue;
    delete result[exclusive];
    const value = member(options, bound);
    if (!marked || value === undefined) continue;
    delete result[bound];
    result[exclusive] = value;
  }
  return result;
};

/** Converts options of 3.1.0 to those of 3.0.x. When both bounds are given, the exclusive one is written. */
export const toExclusiveFlags = (options: JsonObject): JsonObject => {
  const result: MutableJsonObject = { ...options };
  for (const { bound, exclusive } of SIDES) {
    const value = member(options, exclusive);
    if (value === undefined || typeof value === 'boolean') continue;
    result[bound] = value;
    result[exclusive] = true;
  }
  return result;
};
