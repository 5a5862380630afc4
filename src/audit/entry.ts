import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../model/json.ts';

/**
 * The audit log: security-relevant acts in one chain, in which every entry carries the hash of the one before.
 * Read `entry.ts` (what an entry is), `log.ts` (how entries are written), `watch.ts` (which requests write them),
 * `chain.ts` (how the chain is verified) and `retention.ts` (how its beginning is removed).
 */

export const AUDIT_ACTIONS = [
  'login',
  'loginFailed',
  'logout',
  'tokenIssued',
  'tokenUsedFirst',
  'tokenRevoked',
  'sessionRevoked',
  'secretRead',
  'refused',
  'exported',
  'impersonated',
  'policyChanged',
  'roleChanged',
  'userChanged',
  'keysRotated',
  'backup',
  'restore',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What a caller says of an act. Details must never hold a secret. */
export type AuditInput = {
  /** The name of whoever acted; `unknown` where nobody is known to have that name. */
  readonly actor: string;
  readonly action: AuditAction;
  readonly target?: string | undefined;
  readonly outcome?: 'ok' | 'refused';
  readonly address?: string | undefined;
  readonly requestId?: string | undefined;
  readonly details?: JsonObject;
};

export type AuditEntry = {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly target?: string;
  readonly outcome: string;
  readonly address: string;
  readonly requestId: string;
  readonly details: JsonObject;
  readonly previousHash: string;
  readonly hash: string;
};

/** SHA-256 over the canonical JSON of everything that an entry says, the hash of the entry before included. */
export const hashOfEntry = ({
  hash: _hash,
  ...content
}: Omit<AuditEntry, 'hash'> & { readonly hash?: string }): string =>
  createHash('sha256')
    .update(canonicalJson(content as JsonObject))
    .digest('hex');

const MOST_TEXT = 500;

const bounded = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);

const MOST_DETAILS = 4000;

const boundedDetails = (details: JsonObject): JsonObject =>
  JSON.stringify(details).length > MOST_DETAILS ? { truncated: true } : details;

export type ChainEnd = { readonly seq: number; readonly hash: string };

/** The entry that follows the end of the chain. */
export const entryAfter = ({ seq, hash }: ChainEnd, at: number, input: AuditInput): AuditEntry => {
  const { actor, action, target, outcome = 'ok', address = '', requestId = '', details = {} } = input;
  const content = {
    seq: seq + 1,
    at,
    actor: bounded(actor),
    action,
    ...(target === undefined ? {} : { target: bounded(target) }),
    outcome,
    address,
    requestId: bounded(requestId),
    details: boundedDetails(details),
    previousHash: hash,
  };
  return { ...content, hash: hashOfEntry(content) };
};

export type StoredEntry = Omit<AuditEntry, 'details'> & { readonly detailsJson: string };

export const storedEntry = ({ details, ...entry }: AuditEntry): StoredEntry => ({
  ...entry,
  detailsJson: JSON.stringify(details),
});

export const entryFromStored = ({ detailsJson, ...entry }: StoredEntry): AuditEntry => {
  const { seq, at, actor, action, target, outcome, address, requestId, previousHash, hash } = entry;
  return {
    seq,
    at,
    actor,
    action,
    ...(target === undefined ? {} : { target }),
    outcome,
    address,
    requestId,
    details: JSON.parse(detailsJson) as JsonObject,
    previousHash,
    hash,
  };
};
