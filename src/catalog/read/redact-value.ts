/** Removes references to hidden records from JSON values. */
import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject, setMember } from '../../model/json.ts';
import {
  changedMember,
  innerJson,
  innerMemberName,
  memberNameOf,
  type RecordReference,
  referencesInMember,
  toRecordReference,
} from './record-references.ts';

/** Whether redaction removes a reference. */
export type IsHidden = (reference: RecordReference) => boolean;

/** Members without which their object is meaningless, so redaction removes the object too. */
const ESSENTIAL: ReadonlySet<string> = new Set(['tagLabel']);

/** Lists whose items describe the record that this member references; a hidden record removes the item. */
const SUBJECTS: Readonly<Record<string, string>> = {
  pipelineObservability: 'pipeline',
  testCaseResultSummary: 'testCaseName',
  inputs: 'datasetFQN',
  outputs: 'datasetFQN',
  matched: 'dataset',
  created: 'dataset',
};

/** Counts that belong to lists of the same object. */
const COUNTED: readonly (readonly [list: string, count: string])[] = [
  ['upVoters', 'upVotes'],
  ['downVoters', 'downVotes'],
];

const lengthOf = (value: Json | undefined): number => (isArray(value) ? value.length : 0);

const isEmptyValue = (value: Json): boolean =>
  isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

const redactText = (name: string, text: string, isHidden: IsHidden): Json | undefined => {
  const inner = innerJson(name, text);
  if (inner === undefined) return referencesInMember(memberNameOf(name), text).some(isHidden) ? undefined : text;
  const left = redactValue(inner, isHidden, memberNameOf(name));
  if (left === inner) return text;
  return left === undefined || isEmptyValue(left) ? undefined : JSON.stringify(left);
};

const redactList = (list: readonly Json[], isHidden: IsHidden, name: string): readonly Json[] => {
  let isChanged = false;
  const subject = SUBJECTS[name];
  const left = list.flatMap((item) => {
    const kept = redactValue(item, isHidden, name);
    if (kept !== item) isChanged = true;
    if (kept === undefined) return [];
    const isPointless = subject !== undefined && isObject(kept) && isObject(item) && item[subject] !== kept[subject];
    return isPointless && kept[subject] === undefined ? [] : [kept];
  });
  return isChanged ? left : list;
};

/** Whether redaction removed all values of a change: such a change would only reveal that something was hidden. */
const isEmptiedChange = (before: JsonObject, after: JsonObject): boolean => {
  const had = 'oldValue' in before || 'newValue' in before;
  return had && typeof before['name'] === 'string' && !('oldValue' in after) && !('newValue' in after);
};

const redactMembers = (object: JsonObject, isHidden: IsHidden): JsonObject | undefined => {
  let out: MutableJsonObject | undefined;
  const changed = changedMember(object);
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null;
    const left = redactValue(value, isHidden, innerMemberName(name, object, changed));
    if (left === value) continue;
    if (left === undefined && ESSENTIAL.has(name)) return undefined;
    out ??= { ...object };
    if (left === undefined) delete out[name];
    else setMember(out, name, left);
  }
  if (!out) return object;
  for (const [list, count] of COUNTED) {
    const missing = lengthOf(object[list]) - lengthOf(out[list]);
    const counted = object[count];
    if (missing > 0 && typeof counted === 'number') out[count] = counted - missing;
  }
  return isEmptiedChange(object, out) ? undefined : out;
};

/**
 * Removes hidden references from a value: items of lists, members of objects, and whatever is meaningless without them.
 * Returns the same value when nothing in it is hidden, and undefined when nothing is left.
 */
const redactValue = (value: Json, isHidden: IsHidden, name = ''): Json | undefined => {
  if (typeof value === 'string') return redactText(name, value, isHidden);
  if (isArray(value)) return redactList(value, isHidden, name);
  if (!isObject(value)) return value;
  const reference = toRecordReference(value);
  if (reference && isHidden(reference)) return undefined;
  return redactMembers(value, isHidden);
};

/** Redacts a whole answer, which is kept whatever it refers to. */
export const redactAnswer = (value: Json, isHidden: IsHidden): Json => {
  if (isArray(value)) return redactList(value, isHidden, '');
  if (isObject(value)) return redactMembers(value, isHidden) ?? {};
  return value;
};
