import * as v from 'valibot';
import { badRequest, type CatalogError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { nearestOf } from './nearest.ts';
import { type PathStep, wordsAt } from './schema-walk.ts';

/** Validates values against schemas and words the errors. */

type Issue = v.BaseIssue<unknown>;

/** The length at which a path or a name of the caller is cut. */
const MAX_PATH_LENGTH = 200;

const cutPath = (path: string): string =>
  path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH).replace(/[\ud800-\udbff]$/, '')}…` : path;

const stepsOf = (issue: Issue): readonly PathStep[] => issue.path ?? [];

const joinPath = (steps: readonly PathStep[]): string => steps.map(({ key }) => String(key ?? '')).join('.');

const isObjectIssue = (issue: Issue) => issue.type === 'strict_object' || issue.type === 'object';

const isUnknownMember = (issue: Issue) => isObjectIssue(issue) && issue.expected === 'never';

/** Formats a violation as in the contract: `[<member> <constraint>]`, or the name of an unknown member. */
const describeIssue = (issue: Issue, root: string): string => {
  const path = cutPath(joinPath(stepsOf(issue)) || root);
  if (isUnknownMember(issue)) return `[${path} is not a known property]`;
  if (isObjectIssue(issue) && issue.received === 'undefined') return `[${path} must not be null]`;
  return `[${path} ${issue.message}]`;
};

/** The maximum number of violations in a report, and in an error. */
const MAX_VIOLATIONS = 100;
const MAX_FAULTS_IN_ERROR = 20;

/** An error names no further faults beyond this length, so that the errors of many rows stay short. */
const MAX_ERROR_LENGTH = 2000;

/** The maximum number of suggestions in an error, because distances between words take time. */
const MAX_SUGGESTIONS = 5;

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

/** A violation as the contract words it, and how to find out what was probably meant. */
export type Fault = { readonly text: string; readonly suggest?: () => string | undefined };

/** Describes a member that the caller must not send, at a path below which these members are known. */
export const unknownMember = (name: string, known: readonly string[], path = ''): Fault => ({
  text: `[${cutPath(`${path}${name}`)} is not a known property]`,
  suggest: () => nearestOf(name, known),
});

/** Lists all unknown members of an object; the validation itself stops at the first one of each object. */
const unknownMembers = (schema: v.GenericSchema, issue: Issue): readonly Fault[] => {
  const steps = stepsOf(issue);
  const above = steps.slice(0, -1);
  const last = steps.at(-1);
  const input = last?.input as object;
  const { members } = wordsAt(schema, above, input);
  const known = new Set(members);
  const path = above.length > 0 ? `${joinPath(above)}.` : '';
  // Where there are alternatives, a member may be unknown to one and known to another.
  const unknown = Object.keys(input).filter((name) => name === last?.key || !known.has(name));
  return unknown.map((name) => unknownMember(name, members, path));
};

const faultsOf = (schema: v.GenericSchema, issue: Issue, root: string): readonly Fault[] => {
  if (isUnknownMember(issue)) return unknownMembers(schema, issue);
  const { input } = issue;
  const suggest = () =>
    typeof input === 'string' ? nearestOf(input, wordsAt(schema, stepsOf(issue), input).words) : undefined;
  return [{ text: describeIssue(issue, root), ...(issue.type === 'picklist' ? { suggest } : {}) }];
};

/** Lists the violations of a value that has one: all of them, or the first of a value that is too large. */
const findFaults = (schema: v.GenericSchema, value: unknown, root: string): readonly Fault[] => {
  const isSmall = hasFewParts(value);
  const { issues = [] } = v.safeParse(schema, value, { abortEarly: !isSmall });
  const faults = issues.flatMap((issue) => faultsOf(schema, issue, root));
  return isSmall ? faults : faults.slice(0, 1);
};

/**
 * Words faults as one error. It begins with the first fault exactly as the contract words it, because clients compare
 * that; what was probably meant and the other faults follow.
 */
export const faultsError = (faults: readonly Fault[]): CatalogError => {
  const texts: string[] = [];
  let [length, suggestions] = [0, 0];
  const distinct = [...new Map(faults.map((fault) => [fault.text, fault] as const)).values()];
  for (const { text, suggest } of distinct) {
    if (texts.length === MAX_FAULTS_IN_ERROR || (texts.length > 0 && length + text.length > MAX_ERROR_LENGTH)) break;
    if (suggest) suggestions += 1;
    const nearest = suggest && suggestions <= MAX_SUGGESTIONS ? suggest() : undefined;
    texts.push(nearest === undefined ? text : `${text} (did you mean ${nearest}?)`);
    length += text.length;
  }
  const more = distinct.length - texts.length;
  return badRequest(`${texts.join(', ')}${more > 0 ? `, and ${more} more` : ''}`);
};

/**
 * Validates a value and answers the schema's output. Throws bad_request that names the members that are wrong. A valid
 * value is read once; only for a wrong one are all faults looked for.
 */
export const validate = (schema: v.GenericSchema, value: unknown, root = 'body'): Json => {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (!result.success) throw faultsError(findFaults(schema, value, root));
  return result.output as Json;
};

/** Lists the violations of a value. Empty when the value is valid. */
export const listFaults = (schema: v.GenericSchema, value: unknown, root = 'body'): readonly Fault[] =>
  v.safeParse(schema, value, { abortEarly: true }).success ? [] : findFaults(schema, value, root);

/** Lists all violations of a value, worded as in `validate`. Empty when the value is valid. */
export const listViolations = (schema: v.GenericSchema, value: unknown, root = 'body'): readonly string[] =>
  [...new Set(listFaults(schema, value, root).map(({ text }) => text))].slice(0, MAX_VIOLATIONS);

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
