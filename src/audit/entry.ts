import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../model/json.ts';

/**
 * The audit log records security-relevant acts in a chain in which every entry carries the hash of the previous one.
 * Read `entry.ts` (what an entry is), `log.ts` (how entries are written), `audited-routes.ts` (which requests write
 * them), `chain.ts` (how the chain is verified) and `retention.ts` (how old entries are removed).
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

/** The content of an entry. Details must never contain a secret. */
export type AuditInput = {
  /** The name of the acting user; `unknown` when no user has that name. */
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

/** SHA-256 over the canonical JSON of the whole entry, including the previous entry's hash. */
export const hashEntry = ({ hash: _hash, ...content }: Omit<AuditEntry, 'hash'> & { readonly hash?: string }): string =>
  createHash('sha256')
    .update(canonicalJson(content as JsonObject))
    .digest('hex');

const MOST_TEXT = 500;

const truncateText = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);

const MOST_DETAILS = 4000;

const truncateDetails = (details: JsonObject): JsonObject =>
  JSON.stringify(details).length > MOST_DETAILS ? { truncated: true } : details;

export type AuditChainEnd = { readonly seq: number; readonly hash: string };

/** Builds the entry that follows the end of the chain. */
export const buildNextEntry = ({ seq, hash }: AuditChainEnd, at: number, input: AuditInput): AuditEntry => {
  const { actor, action, target, outcome = 'ok', address = '', requestId = '', details = {} } = input;
  const content = {
    seq: seq + 1,
    at,
    actor: truncateText(actor),
    action,
    ...(target === undefined ? {} : { target: truncateText(target) }),
    outcome,
    address,
    requestId: truncateText(requestId),
    details: truncateDetails(details),
    previousHash: hash,
  };
  return { ...content, hash: hashEntry(content) };
};

export type StoredAuditEntry = Omit<AuditEntry, 'details'> & { readonly detailsJson: string };

export const encodeEntry = ({ details, ...entry }: AuditEntry): StoredAuditEntry => ({
  ...entry,
  detailsJson: JSON.stringify(details),
});

export const decodeEntry = ({ detailsJson, ...entry }: StoredAuditEntry): AuditEntry => {
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
