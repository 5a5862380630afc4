import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { applyPatch, type Patch } from '../../model/language/patch.ts';
import { dropNulls } from '../../model/validate.ts';

/** Applies patches in the ways that kinds declare. */

/** Replaces the singular `domain` of a merge patch by the whole list. */
export const normalizeDomainPatch = (kind: Kind, patch: Patch): Patch => {
  if (patch.form !== 'merge' || !Object.hasOwn(patch.members, 'domain') || !kind.gated.includes('domains'))
    return patch;
  const { domain, ...members } = patch.members;
  return { form: 'merge', members: { ...members, domains: domain === null || domain === undefined ? [] : [domain] } };
};

/** Applies a patch to a document and normalizes the result as the kind declares. */
export const applyKindPatch = ({ normaliseDocument }: Kind, former: JsonObject, patch: Patch): JsonObject => {
  const document = applyPatch(former, patch);
  return normaliseDocument ? normaliseDocument(dropNulls(document) as JsonObject, former) : document;
};
