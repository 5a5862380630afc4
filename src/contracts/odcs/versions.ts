import type { JsonObject } from '../../model/json.ts';
import { withMember, withoutMember } from '../../model/json.ts';
import { downgraded2 } from './downgrade-2.ts';
import { downgraded3 } from './downgrade-3.ts';
import { type Issue, type IssueCollector, issues } from './issue.ts';
import { overlay } from './overlay.ts';
import { repaired } from './repair.ts';
import { speechOf } from './speech.ts';
import { structured } from './structure.ts';
import { upgraded2 } from './upgrade-2.ts';
import { upgraded3 } from './upgrade-3.ts';
import { isVersion2, type OdcsVersion } from './version.ts';

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

/** A document in the shape of 3.1.0 as a version writes it, and the paths of what that version has no place for. */
export const downgraded = (
  document: JsonObject,
  version: OdcsVersion,
): { document: JsonObject; dropped: readonly string[] } => {
  const dropped: string[] = [];
  const written = isVersion2(version)
    ? downgraded2(document, version, dropped)
    : downgraded3(document, version, dropped);
  return { document: written, dropped };
};

/** What a caller kept of an imported document. */
export type KeptSource = { readonly version: OdcsVersion; readonly source: JsonObject };

/**
 * An edited document in a version. In the version of its source, whatever was not edited is as it was written there;
 * only what 3.1.0 is known to be broken by is put right.
 */
export const exportAs = (
  edited: JsonObject,
  source: KeptSource | undefined,
  version: OdcsVersion,
): { document: JsonObject; dropped: readonly string[] } => {
  const target = downgraded(edited, version);
  if (source === undefined || source.version !== version) return target;
  const base = downgraded(upgraded(source.source, version).document, version);
  const known = new Set(base.dropped);
  const document = overlay(source.source, base.document, target.document);
  // Since 3.0 the version has one spelling; before, documents are known by the one they came with.
  const declared = isVersion2(version) ? document : withMember(document, 'apiVersion', version);
  return {
    document: version === 'v3.1.0' ? repaired(declared) : declared,
    dropped: target.dropped.filter((path) => !known.has(path)),
  };
};
