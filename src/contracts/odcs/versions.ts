import type { JsonObject } from '../../model/json.ts';
import { canonicalJson, member, withMember, withoutMember } from '../../model/json.ts';
import { downgraded2 } from './downgrade-2.ts';
import { downgraded3, viewed3 } from './downgrade-3.ts';
import { type Issue, type IssueCollector, issues } from './issue.ts';
import { overlay } from './overlay.ts';
import { placed } from './place.ts';
import { shown } from './problem.ts';
import { repaired } from './repair.ts';
import { legalRule } from './rules.ts';
import { speechOf } from './speech.ts';
import { structured } from './structure.ts';
import { upgraded2 } from './upgrade-2.ts';
import { upgraded3 } from './upgrade-3.ts';
import { isVersion2, type OdcsVersion } from './version.ts';
import { mappedList, mappedObject, objectsOf } from './walk.ts';

/** Documents between the versions of the standard. */

/** Root members of 2.x that nobody must keep. */
const SECRETS = ['username', 'password'] as const;

/** The document without the secrets that 2.x asked for. */
export const withoutSecrets = (source: JsonObject, version: OdcsVersion, findings: IssueCollector): JsonObject => {
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

/** A document as its version writes it in the shape of 3.1.0; refused with all that is wrong in it. */
export const upgraded = (
  source: JsonObject,
  version: OdcsVersion,
): { document: JsonObject; issues: readonly Issue[] } => {
  const findings = issues();
  const document = structured(withoutSecrets(source, version, findings), speechOf(version), findings);
  return {
    document: isVersion2(version) ? upgraded2(document) : upgraded3(document, version),
    issues: findings.found(),
  };
};

/** A document as it is to be written, and the paths of what its version has no place for. */
export type Written = { readonly document: JsonObject; readonly dropped: readonly string[] };

/** A document in the shape of 3.1.0 as a version writes it. */
export const downgraded = (document: JsonObject, version: OdcsVersion): Written => {
  const dropped: string[] = [];
  const found = placed(document);
  const write = isVersion2(version) ? downgraded2 : downgraded3;
  return { document: write(found, version, dropped), dropped: told(dropped) };
};

/** More paths are not told of: whoever reads them has stopped reading. */
const MOST_TOLD = 1_000;

const told = (dropped: readonly string[]): readonly string[] => dropped.slice(0, MOST_TOLD).map(shown);

/** What a caller kept of an imported document. */
export type KeptSource = {
  readonly version: OdcsVersion;
  readonly source: JsonObject;
  /** It was joined from documents of several versions, so that nobody wrote it as it is. */
  readonly joined?: true;
};

/** Items that are dropped lack what their version asks of all; members that are dropped are known to nobody. */
const isItem = (path: string): boolean => path.endsWith(']');

/** A document as its source sees it: what stands in no version's place stays there. */
const viewed = (document: JsonObject, version: OdcsVersion): Written => {
  const dropped: string[] = [];
  const write = isVersion2(version) ? downgraded2 : viewed3;
  return { document: write(document, version, dropped), dropped };
};

/** Whether a document of 3.0.x says what only 3.1.0 has a place for. */
const speaksNewer = ({ source, version }: KeptSource, document: JsonObject): boolean => {
  if (isVersion2(version) || version === 'v3.1.0') return false;
  const parts = [...objectsOf(member(source, 'schema')).map((object) => member(object, 'relationships'))];
  if (version === 'v3.0.0') parts.push(member(source, 'authoritativeDefinitions'));
  if (parts.some((part) => part !== undefined)) return true;
  const unknown = new Set(viewed(document, 'v3.1.0').dropped);
  return viewed(document, version).dropped.some((path) => !unknown.has(path));
};

/**
 * An edited document in a version. In the version of its source, whatever was not edited is as it was written there;
 * only what 3.1.0 is known to be broken by is put right.
 */
export const exportAs = (edited: JsonObject, kept: KeptSource | undefined, version: OdcsVersion): Written => {
  const legal = (): Written => downgraded(edited, version);
  if (kept === undefined || kept.version !== version) return legal();
  if (kept.joined) {
    const written = legal();
    if (written.dropped.every(isItem)) return written;
  }
  const { document: read } = upgraded(kept.source, version);
  const seen = speaksNewer(kept, read) ? 'v3.1.0' : version;
  const base = viewed(read, seen);
  const target = viewed(edited, seen);
  const known = new Set(base.dropped);
  const dropped = told(target.dropped.filter((path) => !known.has(path)));
  const document = overlay(kept.source, base.document, target.document);
  if (isVersion2(version)) return { document, dropped };
  // Since 3.0 the version has one spelling; before, documents are known by the one they came with.
  const declared = withMember(document, 'apiVersion', version);
  return { document: version === 'v3.1.0' ? repaired(declared) : withOwnRules(declared, kept), dropped };
};

/** Rules that did not come with a document of 3.0.x are said in its words, whatever the others are said in. */
const withOwnRules = (document: JsonObject, { source, version }: KeptSource): JsonObject => {
  const came = new Set<string>();
  const note = (rule: JsonObject): JsonObject => {
    came.add(canonicalJson(rule));
    return rule;
  };
  mappedRules(source, note);
  return mappedRules(document, (rule) => (came.has(canonicalJson(rule)) ? rule : legalRule(rule, version)));
};

const mappedRules = (document: JsonObject, change: (rule: JsonObject) => JsonObject): JsonObject => {
  const inner = (object: JsonObject): JsonObject =>
    mappedObject(mappedList(mappedList(object, 'quality', change), 'properties', inner), 'items', inner);
  return mappedList(document, 'schema', inner);
};
