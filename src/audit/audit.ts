import type { Origin, Principal, UserRecord } from '../access/principal.ts';
import type { VerifiedToken } from '../access/verify.ts';
import type { Graph } from '../graph/client.ts';
import type { Log } from '../http/log.ts';
import type { Route } from '../http/route.ts';
import type { CallFacts } from '../http/router.ts';
import type { Operations } from '../jobs/work.ts';
import { DAY_MS } from '../model/time.ts';
import { type AuditLog, type AuditOptions, createAuditLog } from './log.ts';
import { noteRefusal, notingRefusedJobs } from './refusals.ts';
import { removeExpiredEntries } from './retention.ts';
import { auditRoutes } from './routes.ts';
import { createFirstUses, type Discloses, noteImpersonation, watchRoutes } from './watch.ts';

type Accepts = (token: VerifiedToken, user: UserRecord) => Promise<boolean>;

/** The audit log of a process, and what of its traffic it hears. */
export type Audit = {
  readonly log: AuditLog;
  /** The routes that read the log, and the others, of which those write entries that are relevant to security. */
  watch(routes: readonly Route[], discloses: Discloses): readonly Route[];
  /** The operations of jobs, which note what was refused to the creators of jobs. */
  watchJobs(operations: Operations): Operations;
  /** Hears of every request that is over. */
  requested(facts: CallFacts): void;
  /** Hears of every caller. */
  admitted(principal: Principal, origin: Origin | undefined): void;
  /** Hears of every token that is accepted. */
  accepting(accepts: Accepts): (token: VerifiedToken, user: UserRecord, origin?: Origin) => Promise<boolean>;
  /** Removes what has expired. */
  removeExpired(): Promise<void>;
};

export type AuditDeps = {
  readonly graph: Graph;
  readonly clock: () => number;
  readonly log: Pick<Log, 'error'>;
  readonly config: { readonly auditRetentionDays: number; readonly auth: { readonly principalDomain: string } };
  readonly options?: Partial<AuditOptions> | undefined;
};

export const openAudit = ({ graph, clock, log, config, options = {} }: AuditDeps): Audit => {
  const audit = createAuditLog({ graph, clock, log, options });
  const watching = { audit, graph, clock, principalDomain: config.auth.principalDomain };
  const firstUse = createFirstUses(watching, (cause) => log.error('the use of a token was not noted', {}, cause));
  return {
    log: audit,
    watch: (routes, discloses) => watchRoutes({ ...watching, discloses }, [...auditRoutes(graph), ...routes]),
    watchJobs: (operations) => notingRefusedJobs(audit, operations),
    requested: (facts) => noteRefusal(audit, facts),
    admitted: (principal, origin) => noteImpersonation(audit, principal, origin),
    accepting: (accepts) => async (token, user, origin) => {
      const isAccepted = await accepts(token, user);
      if (isAccepted) firstUse(token, origin);
      return isAccepted;
    },
    removeExpired: async () => {
      const days = config.auditRetentionDays;
      if (days > 0) await removeExpiredEntries(graph, clock() - days * DAY_MS);
    },
  };
};
