import type { Principal } from '../../access/principal.ts';
import type { JobVisibility } from '../../jobs/job-visibility.ts';
import type { Engine } from '../engine.ts';
import { createRedactor } from './redaction.ts';
import { areNamesVisible } from './visible-names.ts';

type Deps = {
  readonly engine: Engine;
  /** A text that changes when the rights of a caller do. */
  readonly digest: (principal: Principal) => string;
  /** Whoever asked for a job, as they are now. */
  readonly refreshPrincipal: (actor: Principal) => Promise<Principal>;
};

/** What jobs ask about callers, and by which rights somebody acts for whom a job is done. */
export const createJobVisibility = ({ engine, digest, refreshPrincipal }: Deps) => {
  const visibility: JobVisibility = {
    redactorFor: (principal) => createRedactor(engine, principal),
    canSeeTargets: (principal, targets) => areNamesVisible(engine, principal, targets),
    rightsDigestOf: digest,
  };
  const rightsOf = async (actor: Principal): Promise<string> => {
    await engine.authorizer.ensureFresh();
    return digest(await refreshPrincipal(actor));
  };
  return { visibility, rightsOf };
};
