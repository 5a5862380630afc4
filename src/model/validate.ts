import * as v from 'valibot';
import { badRequest, type CatalogError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/** Validates values against schemas and words the errors. */

const pathOf = (issue: v.BaseIssue<unknown>): string =>
  (issue.path ?? []).map((item) => String((item as { key?: unknown }).key ?? '')).join('.');

const isObjectIssue = (issue: v.BaseIssue<unknown>) => issue.type === 'strict_object' || issue.type === 'object';

/** Formats a violation as in the contract: `[<member> <constraint>]`, or the name of an unknown member. */
const describeIssue = (issue: v.BaseIssue<unknown>, root: string): string => {
  const path = pathOf(issue) || root;
  if (isObjectIssue(issue) && issue.expected === 'never') return `[${path} is not a known property]`;
  if (isObjectIssue(issue) && issue.received === 'undefined') return `[${path} must not be null]`;
  return `[${path} ${issue.message}]`;
};

const validationError = (issue: v.BaseIssue<unknown>, root = 'body'): CatalogError =>
  badRequest(describeIssue(issue, root));

/** Validates a value and answers the schema's output. Throws bad_request that names the member. */
export const validate = (schema: v.GenericSchema, value: unknown, root = 'body'): Json => {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (!result.success) throw validationError(result.issues[0], root);
  return result.output as Json;
};

/** The maximum number of violations in a report. */
const MAX_VIOLATIONS = 100;

/** In a value with more parts, only the first violation is looked for, because every part could have one. */
const MAX_CHECKED_PARTS = 10_000;

const hasFewParts = (value: unknown): boolean => {
  const left: unknown[] = [value];
  for (let count = 0; left.length > 0; count += 1) {
    if (count + left.length > MAX_CHECKED_PARTS) return false;
    const part = left.pop();
    if (typeof part !== 'object' || part === null) continue;
    const parts = Object.values(part);
    if (parts.length > MAX_CHECKED_PARTS) return false;
    left.push(...parts);
  }
  return true;
};

/** Lists all violations of a value, worded as in `validate`. Empty when the value is valid. */
export const listViolations = (schema: v.GenericSchema, value: unknown, root = 'body'): readonly string[] => {
  const { issues } = v.safeParse(schema, value, { abortEarly: !hasFewParts(value) });
  return [...new Set((issues ?? []).map((issue) => describeIssue(issue, root)))].slice(0, MAX_VIOLATIONS);
};

/** Members whose content belongs to the caller: a null inside them is a value, not an absence. */
const OPAQUE_MEMBERS: ReadonlySet<string> = new Set([
  'extension',
  'config',
  'rows',
  'metadata',
  'topicConfig',
  'parameters',
]);

const dropFromList = (list: readonly Json[]): readonly Json[] => {
  let copy: Json[] | undefined;
  list.forEach((item, index) => {
    const kept = dropNulls(item);
    if (kept !== item) {
      copy ??= [...list];
      copy[index] = kept;
    }
  });
  return copy ?? list;
};

const dropFromObject = (object: JsonObject): JsonObject => {
  const entries = Object.entries(object);
  let changed = false;
  const kept: [string, Json][] = [];
  for (const [name, value] of entries) {
    if (value === null) {
      changed = true;
      continue;
    }
    const inner = OPAQUE_MEMBERS.has(name) ? value : dropNulls(value);
    if (inner !== value) changed = true;
    kept.push([name, inner]);
  }
  return changed ? (Object.fromEntries(kept) as JsonObject) : object;
};

/**
 * Removes members that are null, because clients send null for everything they leave unset (conventions 1). Answers the
 * same value when there is nothing to remove.
 */
export const dropNulls = (value: Json): Json => {
  if (Array.isArray(value)) return dropFromList(value as readonly Json[]);
  return isObject(value) ? dropFromObject(value) : value;
};
