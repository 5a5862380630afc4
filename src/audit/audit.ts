import type { Principal, RequestOrigin, UserRecord } from '../access/principal.ts';
import type { VerifiedToken } from '../access/token-verifier.ts';
import type { Graph } from '../graph/client.ts';
import type { Log } from '../http/log.ts';
import type { Route } from '../http/route.ts';
import type { RequestSummary } from '../http/router.ts';
import type { JobOperations } from '../jobs/job-operation.ts';
import { DAY_MS } from '../model/time.ts';
import { createFirstUseRecorder, type Discloses, noteImpersonation, wrapAuditedRoutes } from './audited-routes.ts';
import { type AuditLog, type AuditOptions, createAuditLog } from './log.ts';
import { noteRefusal, notingRefusedJobs } from './refusals.ts';
import { removeExpiredEntries } from './retention.ts';
import { auditRoutes } from './routes.ts';

type TokenCheck = (token: VerifiedToken, user: UserRecord) => Promise<boolean>;

/** The audit log of a process, and the hooks by which it records requests. */
export type Audit = {
  readonly log: AuditLog;
  /**
   * Returns the routes that read the log and the given routes, wrapped so that security-relevant ones write entries.
   */
  wrapRoutes(routes: readonly Route[], discloses: Discloses): readonly Route[];
  /** Wraps job operations so that they record what was refused to a job's creator. */
  watchJobs(operations: JobOperations): JobOperations;
  /** Called after every request. */
  onRequest(facts: RequestSummary): void;
  /** Called with every authenticated caller. */
  onAuthenticated(principal: Principal, origin: RequestOrigin | undefined): void;
  /** Wraps the token check so that it records the first use of tokens. */
  wrapTokenCheck(
    accepts: TokenCheck,
  ): (token: VerifiedToken, user: UserRecord, origin?: RequestOrigin) => Promise<boolean>;
  /** Removes expired entries. */
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
  const auditDeps = { audit, graph, clock, principalDomain: config.auth.principalDomain };
  const firstUse = createFirstUseRecorder(auditDeps, (cause) =>
    log.error('the use of a token was not recorded', {}, cause),
  );
  return {
    log: audit,
    wrapRoutes: (routes, discloses) =>
      wrapAuditedRoutes({ ...auditDeps, discloses }, [...auditRoutes(graph), ...routes]),
    watchJobs: (operations) => notingRefusedJobs(audit, operations),
    onRequest: (facts) => noteRefusal(audit, facts),
    onAuthenticated: (principal, origin) => noteImpersonation(audit, principal, origin),
    wrapTokenCheck: (accepts) => async (token, user, origin) => {
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
