import * as v from 'valibot';
import { isObject, type Json } from '../../json.ts';

const isSchema = (text: string): boolean => {
  try {
    return isObject(JSON.parse(text) as Json);
  } catch {
    return false;
  }
};

/** A JSON Schema as text. */
export const SchemaText = v.pipe(
  v.string('must be a string'),
  v.maxLength(1_000_000, 'size must be at most 1000000'),
  v.check(isSchema, 'must be a JSON Schema'),
);
