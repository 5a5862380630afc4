import * as v from 'valibot';
import { badRequest, type CatalogError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

const pathOf = (issue: v.BaseIssue<unknown>): string =>
  (issue.path ?? []).map((item) => String((item as { key?: unknown }).key ?? '')).join('.');

const isObjectIssue = (issue: v.BaseIssue<unknown>) => issue.type === 'strict_object' || issue.type === 'object';

/** The contract's sentence for one violation: `[<member> <constraint>]`, or the name of a member nobody knows. */
const describeIssue = (issue: v.BaseIssue<unknown>, root: string): string => {
  const path = pathOf(issue) || root;
  if (isObjectIssue(issue) && issue.expected === 'never') return `[${path} is not a known property]`;
  if (isObjectIssue(issue) && issue.received === 'undefined') return `[${path} must not be null]`;
  return `[${path} ${issue.message}]`;
};

const validationError = (issue: v.BaseIssue<unknown>, root = 'body'): CatalogError =>
  badRequest(describeIssue(issue, root));

/** Checks a value against a schema and answers what the schema makes of it; throws bad_request naming the member. */
export const validate = (schema: v.GenericSchema, value: unknown, root = 'body'): Json => {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (!result.success) throw validationError(result.issues[0], root);
  return result.output as Json;
};

/** More faults than that help nobody. */
const MAX_VIOLATIONS = 100;

/** Of a value with more parts than that only the first fault is looked for: each of them could be one. */
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

/** Everything that is wrong with a value, in the sentences of `check`; nothing when nothing is. */
export const listViolations = (schema: v.GenericSchema, value: unknown, root = 'body'): readonly string[] => {
  const { issues } = v.safeParse(schema, value, { abortEarly: !hasFewParts(value) });
  return [...new Set((issues ?? []).map((issue) => describeIssue(issue, root)))].slice(0, MAX_VIOLATIONS);
};

/** Members whose content is the caller's own: a null inside them is a value, not an absence. */
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
 * The same value without members that are null: clients send null for everything they leave unset (conventions 1).
 * Answers the very same value when there is nothing to drop.
 */
export const dropNulls = (value: Json): Json => {
  if (Array.isArray(value)) return dropFromList(value as readonly Json[]);
  return isObject(value) ? dropFromObject(value) : value;
};
