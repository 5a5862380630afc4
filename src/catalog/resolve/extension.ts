import { badRequest } from '../../errors.ts';
import {
  equalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { looksLikeReference } from '../../model/values.ts';
import type { Candidate } from './candidate.ts';
import type { WriteContext, WriteMode } from './write-context.ts';

const EXTENSION = 'extension';

const toStoredForm = (value: Json): Json => {
  if (isArray(value)) return value.map(toStoredForm);
  return looksLikeReference(value) ? { id: value['id'] ?? '', type: value['type'] ?? '' } : value;
};

/** Whether a patch sends a custom value back unchanged; it was validated when it was written. */
const isUntouched = (name: string, value: Json, stored: Json | undefined): boolean =>
  isObject(stored) && equalJson(member(stored, name), toStoredForm(value));

const checkCustomValues = async (
  context: WriteContext,
  kind: Kind,
  given: JsonObject,
  isKept: (name: string, value: Json) => boolean,
) => {
  const checked: MutableJsonObject = {};
  const fresh: [string, Json][] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value !== null && isKept(name, value)) setMember(checked, name, value);
    else if (value !== null) fresh.push([name, value]);
  }
  if (fresh.length === 0) return checked;
  const properties = await context.store.customProperties(kind);
  for (const [name, value] of fresh) {
    const property = properties.get(name);
    if (!property) throw badRequest(`Unknown custom field ${name}`);
    setMember(checked, name, property.check(value));
  }
  return checked;
};

/** Validates the custom values of a request against the properties that the kind's type defines. */
export const validateExtension = async (
  context: WriteContext,
  kind: Kind,
  given: Candidate['values'],
  stored: Readonly<Record<string, Json>>,
  mode: WriteMode,
): Promise<Candidate['values']> => {
  const extension = given[EXTENSION];
  // Where the kind declares the member itself, the kind decides what it means.
  if (!isObject(extension) || !kind.gated.includes(EXTENSION)) return given;
  const isKept = (name: string, value: Json) => mode.by === 'patch' && isUntouched(name, value, stored[EXTENSION]);
  return { ...given, [EXTENSION]: await checkCustomValues(context, kind, extension, isKept) };
};
