import { CatalogError, type ErrorCode } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { NO_MENTIONS } from '../read/mentions.ts';
import { type Candidate, labelWishes } from './candidate.ts';
import type { Actor, Desk } from './desk.ts';
import { settleLinks } from './links.ts';
import { findTag, OWNER_TYPES, resolveNewlyNamed, resolvePointers, resolveRelation } from './resolve.ts';

const NOTHING = { values: {}, mentioned: NO_MENTIONS };

const requireLabels = async (desk: Desk, labels: () => Candidate['tags']): Promise<void> => {
  await Promise.all((labels() ?? []).map((wish) => findTag(desk, wish)));
};

const requireItems = async (desk: Desk, items: readonly JsonObject[]): Promise<void> => {
  await Promise.all(
    items.flatMap((item) => [
      requireLabels(desk, () => labelWishes(item['tags'])),
      requireItems(desk, (item['children'] ?? []) as readonly JsonObject[]),
    ]),
  );
};

/** What is owned by something else than people and teams makes no sense, which is told later than what is not there. */
const requireOwners = async (desk: Desk, owners: NonNullable<Candidate['owners']>): Promise<void> => {
  const sensible = owners.filter(({ type, inherited }) => !inherited && OWNER_TYPES.includes(type ?? 'user'));
  await resolvePointers(desk, sensible, OWNER_TYPES);
};

const requireNamed = async (desk: Desk, { namingTexts }: Kind, { values }: Candidate): Promise<void> => {
  await resolveNewlyNamed(desk, namingTexts?.list(values) ?? [], []);
};

const lookUps = (desk: Desk, kind: Kind, candidate: Candidate, actor: Actor): Promise<unknown>[] => [
  requireOwners(desk, candidate.owners ?? []),
  resolvePointers(desk, candidate.domains ?? [], ['domain']),
  resolvePointers(desk, candidate.dataProducts ?? [], ['dataProduct']),
  requireLabels(desk, () => candidate.tags),
  ...Object.values(candidate.columns).map((items) => requireItems(desk, items)),
  ...Object.entries(candidate.relations).map(async ([name, pointers]) => {
    const attribute = kind.attributes[name];
    if (attribute?.store === 'relation') await resolveRelation(desk, attribute, pointers);
  }),
  settleLinks(desk, kind, candidate, NOTHING, actor),
  requireNamed(desk, kind, candidate),
];

const isOf = (failure: unknown, ...codes: readonly ErrorCode[]): boolean =>
  failure instanceof CatalogError && codes.includes(failure.code);

const firstMissing = async (pending: readonly Promise<unknown>[]): Promise<unknown> => {
  const outcomes = await Promise.allSettled(pending);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  return failures.find((failure) => isOf(failure, 'not_found'));
};

type Reading = () => Candidate;

/** Throws not_found when something is not there that a request names. Nothing else about it is judged. */
const requireReferences = async (desk: Desk, kind: Kind, actor: Actor, asked: readonly Reading[]): Promise<void> => {
  const missing = await Promise.allSettled(asked.map(async (read) => firstMissing(lookUps(desk, kind, read(), actor))));
  for (const outcome of missing) {
    if (outcome.status === 'fulfilled' && outcome.value !== undefined) throw outcome.value;
  }
};

const isTold = (failure: unknown): boolean => isOf(failure, 'forbidden', 'already_exists', 'precondition_failed');

/**
 * Tells of what is missing before it tells that something is forbidden, or taken (clarifications, Order). Everything a
 * request names is looked up once when all goes well, after those questions; only a refusal looks for itself. What it
 * looks for is told by the request alone, so that it says nothing of a record that the caller may not see.
 */
export const missingFirst = async <T>(
  desk: Desk,
  kind: Kind,
  actor: Actor,
  asked: readonly Reading[],
  write: () => Promise<T>,
): Promise<T> => {
  try {
    return await write();
  } catch (failure) {
    if (isTold(failure)) await requireReferences(desk, kind, actor, asked);
    throw failure;
  }
};
