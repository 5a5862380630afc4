import { CatalogError, type ErrorCode } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { NO_MENTIONS } from '../read/mentions.ts';
import { type Candidate, parseLabels } from './candidate.ts';
import { resolveLinks } from './links.ts';
import { findTag, OWNER_TYPES, resolveNewNameReferences, resolvePointers, resolveRelation } from './references.ts';
import type { WriteActor, WriteContext } from './write-context.ts';

const NO_STORED_LINKS = { values: {}, mentioned: NO_MENTIONS };

const requireLabels = async (context: WriteContext, labels: () => Candidate['tags']): Promise<void> => {
  await Promise.all((labels() ?? []).map((request) => findTag(context, request)));
};

const requireItems = async (context: WriteContext, items: readonly JsonObject[]): Promise<void> => {
  await Promise.all(
    items.flatMap((item) => [
      requireLabels(context, () => parseLabels(item['tags'])),
      requireItems(context, (item['children'] ?? []) as readonly JsonObject[]),
    ]),
  );
};

/**
 * Looks up only owners that can be valid: an owner that is neither a user nor a team is refused later, after missing
 * references.
 */
const requireOwners = async (context: WriteContext, owners: NonNullable<Candidate['owners']>): Promise<void> => {
  const sensible = owners.filter(({ type, inherited }) => !inherited && OWNER_TYPES.includes(type ?? 'user'));
  await resolvePointers(context, sensible, OWNER_TYPES);
};

const requireNamedInTexts = async (
  context: WriteContext,
  { nameBearingTexts }: Kind,
  { values }: Candidate,
): Promise<void> => {
  await resolveNewNameReferences(context, nameBearingTexts?.list(values) ?? [], []);
};

const startLookUps = (
  context: WriteContext,
  kind: Kind,
  candidate: Candidate,
  actor: WriteActor,
): Promise<unknown>[] => [
  requireOwners(context, candidate.owners ?? []),
  resolvePointers(context, candidate.domains ?? [], ['domain']),
  resolvePointers(context, candidate.dataProducts ?? [], ['dataProduct']),
  requireLabels(context, () => candidate.tags),
  ...Object.values(candidate.columns).map((items) => requireItems(context, items)),
  ...Object.entries(candidate.relations).map(async ([name, pointers]) => {
    const attribute = kind.attributes[name];
    if (attribute?.store === 'relation') await resolveRelation(context, attribute, pointers);
  }),
  resolveLinks(context, kind, candidate, NO_STORED_LINKS, actor),
  requireNamedInTexts(context, kind, candidate),
];

const hasErrorCode = (failure: unknown, ...codes: readonly ErrorCode[]): boolean =>
  failure instanceof CatalogError && codes.includes(failure.code);

const findFirstMissing = async (pending: readonly Promise<unknown>[]): Promise<unknown> => {
  const outcomes = await Promise.allSettled(pending);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  return failures.find((failure) => hasErrorCode(failure, 'not_found'));
};

type ReadCandidate = () => Candidate;

/** Throws not_found for a missing reference. It checks nothing else. */
const requireReferences = async (
  context: WriteContext,
  kind: Kind,
  actor: WriteActor,
  candidates: readonly ReadCandidate[],
): Promise<void> => {
  const missing = await Promise.allSettled(
    candidates.map(async (read) => findFirstMissing(startLookUps(context, kind, read(), actor))),
  );
  for (const outcome of missing) {
    if (outcome.status === 'fulfilled' && outcome.value !== undefined) throw outcome.value;
  }
};

const isRefusal = (failure: unknown): boolean =>
  hasErrorCode(failure, 'forbidden', 'already_exists', 'precondition_failed');

/**
 * Reports a missing reference before a denial or a name conflict (clarifications, Order). A successful request looks up
 * its references only once, after those checks; only a refused request looks them up here. The lookup depends on the
 * request alone, so it reveals nothing about records that the caller may not see.
 */
export const reportMissingFirst = async <T>(
  context: WriteContext,
  kind: Kind,
  actor: WriteActor,
  candidates: readonly ReadCandidate[],
  write: () => Promise<T>,
): Promise<T> => {
  try {
    return await write();
  } catch (failure) {
    if (isRefusal(failure)) await requireReferences(context, kind, actor, candidates);
    throw failure;
  }
};
