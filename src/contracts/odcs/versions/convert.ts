import {
  canonicalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  withMember,
  withoutMember,
} from '../../../model/json.ts';
import { jsonObjects } from '../../../model/json-parts.ts';
import { createIssueCollector, type Issue, type IssueCollector, sanitizeText } from '../issues.ts';
import { textMember } from '../json-parts.ts';
import { threeWayMerge } from '../three-way-merge.ts';
import { downgradeTo2, upgradeFrom2 } from './convert-v2.ts';
import {
  deferredMembersOf,
  downgradeTo3,
  mapObjects,
  repairDocument,
  upgradeFrom3,
  viewAsVersion3,
} from './convert-v3.ts';
import type { ObjectShape } from './member-shapes.ts';
import { toLegalRule } from './rules-v3.ts';
import { DOCUMENT, DOCUMENT_WITH_RULES, isBareColumn, SCHEMA_OBJECT } from './shape.ts';
import { checkDocument } from './structure.ts';
import { isVersion2, isVersionAtLeast, NEWEST_VERSION, type OdcsVersion } from './version.ts';

/** Converts documents between the versions of the standard. */

/** Wraps columns without an object in one that is named like the contract. */
const wrapBareColumns = (document: JsonObject): JsonObject => {
  const schema = jsonObjects(member(document, 'schema'));
  if (!schema.some(isBareColumn) || schema.some((object) => !isBareColumn(object))) return document;
  const name = ['name', 'dataProduct', 'id']
    .map((other) => textMember(document, other))
    .find((text) => text !== undefined);
  return withMember(document, 'schema', [{ name: name ?? 'schema', logicalType: 'object', properties: schema }]);
};

/** Moves rules at the root to the object, or to the first of several. */
const moveRootRules = (document: JsonObject): JsonObject => {
  const rules = member(document, 'quality') ?? null;
  const schema = member(document, 'schema') ?? null;
  if (!isArray(rules) || !isArray(schema)) return document;
  const [first, ...others] = schema;
  if (first === undefined || !isObject(first)) return document;
  const own: Json = member(first, 'quality') ?? [];
  const object = withMember(first, 'quality', [...rules, ...(isArray(own) ? own : [])]);
  return withMember(withoutMember(document, 'quality'), 'schema', [object, ...others]);
};

/**
 * Moves members from places that no version defines to those that the standard defines: bare columns in the schema,
 * and rules at the root.
 */
const relocateMembers = (document: JsonObject): JsonObject => moveRootRules(wrapBareColumns(document));

/** Root members of 2.x that must not be stored. */
const SECRETS = ['username', 'password'] as const;

/** Removes the secrets that 2.x has members for. */
export const removeSecrets = (source: JsonObject, version: OdcsVersion, findings: IssueCollector): JsonObject => {
  if (!isVersion2(version)) return source;
  let result = source;
  for (const name of SECRETS) {
    if (!Object.hasOwn(result, name)) continue;
    result = withoutMember(result, name);
    findings.add({
      severity: 'warning',
      category: 'servers',
      field: name,
      path: name,
      message: 'secrets are not kept',
    });
  }
  return result;
};

/** Converts a document of any version to the shape of 3.2.0. Throws with all its faults. */
export const upgradeDocument = (
  source: JsonObject,
  version: OdcsVersion,
): { document: JsonObject; issues: readonly Issue[] } => {
  const findings = createIssueCollector();
  const isOld = isVersion2(version);
  const document = checkDocument(
    removeSecrets(source, version, findings),
    isOld ? DOCUMENT : DOCUMENT_WITH_RULES,
    version,
    findings,
  );
  return {
    document: isOld ? upgradeFrom2(document, version) : upgradeFrom3(document, version),
    issues: findings.found(),
  };
};

/** A converted document, and the paths that its version cannot represent. */
export type DowngradedDocument = { readonly document: JsonObject; readonly dropped: readonly string[] };

/** Converts a document in the shape of 3.2.0 to a version. */
export const downgradeDocument = (document: JsonObject, version: OdcsVersion): DowngradedDocument => {
  const dropped: string[] = [];
  const found = relocateMembers(document);
  const write = isVersion2(version) ? downgradeTo2 : downgradeTo3;
  return { document: write(found, version, dropped), dropped: limitPaths(dropped) };
};

/** The maximum number of paths that are reported. */
const MAX_PATHS = 1_000;

const limitPaths = (dropped: readonly string[]): readonly string[] => dropped.slice(0, MAX_PATHS).map(sanitizeText);

/** The source of an imported document, as the caller stored it. */
export type ImportedSource = {
  readonly version: OdcsVersion;
  readonly source: JsonObject;
  /** Whether it was joined from documents of several versions. */
  readonly joined?: true;
};

/**
 * Whether a dropped path is a list item. Items are dropped for lacking what their version requires; members are
 * dropped because the version does not define them.
 */
const isItemPath = (path: string): boolean => path.endsWith(']');

/** Converts a document for comparison with its source, keeping members in places that no version defines. */
const viewAsVersion = (document: JsonObject, version: OdcsVersion): DowngradedDocument => {
  const dropped: string[] = [];
  const write = isVersion2(version) ? downgradeTo2 : viewAsVersion3;
  return { document: write(document, version, dropped), dropped };
};

/** Whether a document of 3.x contains values that only a later version can represent. */
const usesNewerMembers = ({ source, version }: ImportedSource, document: JsonObject): boolean => {
  if (isVersion2(version) || version === NEWEST_VERSION) return false;
  const hasNewer = (object: JsonObject, shape: ObjectShape): boolean =>
    deferredMembersOf(shape, version).some((name) => member(object, name) !== undefined);
  if (hasNewer(source, DOCUMENT)) return true;
  if (jsonObjects(member(source, 'schema')).some((object) => hasNewer(object, SCHEMA_OBJECT))) return true;
  const unknown = new Set(viewAsVersion(document, NEWEST_VERSION).dropped);
  return viewAsVersion(document, version).dropped.some((path) => !unknown.has(path));
};

/**
 * Exports an edited document in a version. In the version of its source, unedited parts stay as written; only known
 * violations of its schema are repaired, since 3.1.0.
 */
export const exportAsVersion = (
  edited: JsonObject,
  kept: ImportedSource | undefined,
  version: OdcsVersion,
): DowngradedDocument => {
  const downgradeEdited = (): DowngradedDocument => downgradeDocument(edited, version);
  if (kept === undefined || kept.version !== version) return downgradeEdited();
  if (kept.joined) {
    const written = downgradeEdited();
    if (written.dropped.every(isItemPath)) return written;
  }
  const { document: read } = upgradeDocument(kept.source, version);
  const viewVersion = usesNewerMembers(kept, read) ? NEWEST_VERSION : version;
  const base = viewAsVersion(read, viewVersion);
  const target = viewAsVersion(edited, viewVersion);
  const known = new Set(base.dropped);
  const dropped = limitPaths(target.dropped.filter((path) => !known.has(path)));
  const document = threeWayMerge(kept.source, base.document, target.document);
  if (isVersion2(version)) return { document, dropped };
  // Since 3.0 the version has one spelling; documents of 2.x keep the one in their source.
  const declared = withMember(document, 'apiVersion', version);
  return {
    document: isVersionAtLeast(version, 'v3.1.0')
      ? repairDocument(declared, version)
      : keepOriginalRules(declared, kept),
    dropped,
  };
};

/**
 * Writes rules that are new in a document of 3.0.x in the notation of that version, whatever notation the others
 * have.
 */
const keepOriginalRules = (document: JsonObject, { source, version }: ImportedSource): JsonObject => {
  const came = new Set<string>();
  const note = (rule: JsonObject): JsonObject => {
    came.add(canonicalJson(rule));
    return rule;
  };
  mapRules(source, note);
  return mapRules(document, (rule) => (came.has(canonicalJson(rule)) ? rule : toLegalRule(rule, version)));
};

const mapRules = (document: JsonObject, change: (rule: JsonObject) => JsonObject): JsonObject =>
  mapObjects(document, DOCUMENT, (object, { conversion }) => (conversion === 'rule' ? change(object) : object));
