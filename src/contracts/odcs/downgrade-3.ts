import {
  isArray,
  isObject,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
  withMember,
} from '../../model/json.ts';
import { conformedDocument, conformedWithRules } from './conform.ts';
import { parked } from './parking.ts';
import { at } from './problem.ts';
import { isBareColumn } from './shape.ts';
import { isAtLeast, type OdcsVersion } from './version.ts';
import { mapped, mappedList } from './walk.ts';

/** Documents in the shape of 3.1.0 as a version of 3.x writes them. */

/** Before 3.1.0 a team is its members. */
const withMembersOnly = (document: JsonObject, dropped: string[]): JsonObject => {
  const team = member(document, 'team') ?? null;
  if (!isObject(team)) return document;
  for (const name of Object.keys(team)) if (name !== 'members') dropped.push(at('team', name));
  const members = member(team, 'members') ?? [];
  const result: MutableJsonObject = { ...document };
  if (isArray(members) && members.length > 0) setMember(result, 'team', members);
  else delete result['team'];
  return result;
};

/** A time as 2.x wrote it, in the form that 3.x asks for. */
const moment = (text: string): string => text.replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)$/, '$1T$2Z');

const withParkedObjects = (document: JsonObject): JsonObject =>
  mappedList(document, 'schema', (object) => (isBareColumn(object) ? object : parked(object, ['relationships'])));

const prepared = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject => {
  const isOld = !isAtLeast(version, 'v3.1.0');
  const kept = isOld ? withParkedObjects(withMembersOnly(document, dropped)) : document;
  const rooted = isAtLeast(version, 'v3.0.1') ? kept : parked(kept, ['authoritativeDefinitions']);
  return mapped(rooted, 'contractCreatedTs', (value) => (typeof value === 'string' ? moment(value) : value));
};

/** The document in a version of 3.x; `dropped` gets the paths of what that version has no place for. */
export const downgraded3 = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  withMember(conformedDocument(prepared(document, version, dropped), version, dropped), 'apiVersion', version);

/** The same with what is in no version's place, as far as it is understood: for comparing, not for showing. */
export const viewed3 = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  withMember(conformedWithRules(prepared(document, version, dropped), version, dropped), 'apiVersion', version);
