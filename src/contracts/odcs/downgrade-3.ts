import {
  isArray,
  isObject,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
  withMember,
} from '../../model/json.ts';
import { conformDocument, conformDocumentWithRules } from './conform.ts';
import { deferMembers } from './parking.ts';
import { joinPath } from './problem.ts';
import { isBareColumn } from './shape.ts';
import { isVersionAtLeast, type OdcsVersion } from './version.ts';
import { mapListMember, mapMember } from './walk.ts';

/** Converts documents in the shape of 3.1.0 to versions 3.x. */

/** Replaces the team by its members, because a team is a list before 3.1.0. */
const flattenTeam = (document: JsonObject, dropped: string[]): JsonObject => {
  const team = member(document, 'team') ?? null;
  if (!isObject(team)) return document;
  for (const name of Object.keys(team)) if (name !== 'members') dropped.push(joinPath('team', name));
  const members = member(team, 'members') ?? [];
  const result: MutableJsonObject = { ...document };
  if (isArray(members) && members.length > 0) setMember(result, 'team', members);
  else delete result['team'];
  return result;
};

/** Converts a time in the notation of 2.x to the one that 3.x requires. */
const toIsoTime = (text: string): string => text.replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)$/, '$1T$2Z');

const deferObjectMembers = (document: JsonObject): JsonObject =>
  mapListMember(document, 'schema', (object) =>
    isBareColumn(object) ? object : deferMembers(object, ['relationships']),
  );

const prepareDocument = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject => {
  const isOld = !isVersionAtLeast(version, 'v3.1.0');
  const kept = isOld ? deferObjectMembers(flattenTeam(document, dropped)) : document;
  const rooted = isVersionAtLeast(version, 'v3.0.1') ? kept : deferMembers(kept, ['authoritativeDefinitions']);
  return mapMember(rooted, 'contractCreatedTs', (value) => (typeof value === 'string' ? toIsoTime(value) : value));
};

/** Converts a document to a version of 3.x; `dropped` receives the paths that the version cannot represent. */
export const downgradeTo3 = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  withMember(conformDocument(prepareDocument(document, version, dropped), version, dropped), 'apiVersion', version);

/** Does the same and keeps understood members in places that no version defines. It is used for comparison only. */
export const viewAsVersion3 = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  withMember(
    conformDocumentWithRules(prepareDocument(document, version, dropped), version, dropped),
    'apiVersion',
    version,
  );
