import type { Schemas } from '../api/types.ts';

/** Which entries of the audit log are shown. All of it stands in the address. */

export type ActionName = Schemas['AuditEntry']['action'];

export type AuditChoice = {
  readonly actor: string;
  readonly action: ActionName | undefined;
  /** Days in the zone of whoever looks, such as 2026-01-31; both are part of what is shown. */
  readonly from: string;
  readonly to: string;
};

/** The recorded actions, and what they are called. */
export const ACTIONS: Readonly<Record<ActionName, string>> = {
  login: 'Logged in',
  loginFailed: 'Failed to log in',
  logout: 'Logged out',
  tokenIssued: 'Token issued',
  tokenUsedFirst: 'Token used first',
  tokenRevoked: 'Token revoked',
  sessionRevoked: 'Session revoked',
  secretRead: 'Secret read',
  refused: 'Refused',
  exported: 'Exported',
  impersonated: 'Acted for others',
  policyChanged: 'Policy changed',
  roleChanged: 'Role changed',
  userChanged: 'User or team changed',
  keysRotated: 'Keys rotated',
  backup: 'Backed up',
  restore: 'Restored',
};

const isAction = (text: string | null): text is ActionName => text !== null && Object.hasOwn(ACTIONS, text);

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** A day that there is: browsers take the 31st of February for one in March. */
const readDay = (text: string | null): string => {
  if (text === null || !DAY.test(text) || Number.isNaN(Date.parse(text))) return '';
  return new Date(text).toISOString().startsWith(text) ? text : '';
};

export const readAuditChoice = (params: URLSearchParams): AuditChoice => {
  const action = params.get('action');
  return {
    actor: params.get('actor') ?? '',
    action: isAction(action) ? action : undefined,
    from: readDay(params.get('from')),
    to: readDay(params.get('to')),
  };
};

export const writeAuditChoice = ({ actor, action, from, to }: AuditChoice): URLSearchParams => {
  const params = new URLSearchParams();
  if (actor.trim() !== '') params.set('actor', actor.trim());
  if (action !== undefined) params.set('action', action);
  if (from !== '') params.set('from', from);
  if (to !== '') params.set('to', to);
  return params;
};

/** The first and the last millisecond of the days, in the zone of whoever looks. */
export const auditTimes = ({ from, to }: AuditChoice): { readonly from?: number; readonly to?: number } => ({
  ...(from === '' ? {} : { from: new Date(`${from}T00:00:00`).getTime() }),
  ...(to === '' ? {} : { to: new Date(`${to}T23:59:59.999`).getTime() }),
});
